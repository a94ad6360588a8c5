// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "replay/recording_builder.hpp"

// T4 results: "metadata" with a time unit (spelt in several ways), and "results" of configuration, times, invalidity,
// measurements.

namespace kerntune {
namespace {

std::optional<Rejection> t4_rejection(const JsonCursor& result) {
  const auto invalidity = result.find("invalidity");
  const std::string text = invalidity ? invalidity->text() : "correct";
  const std::string message = "recorded in T4 as " + text;
  if (text == "correct" || text.empty()) return std::nullopt;
  if (text == "compile") return Rejection{Reason::compile_error, message};
  if (text == "runtime") return Rejection{Reason::launch_error, message};
  if (text == "timeout") return Rejection{Reason::timeout, message};
  if (text == "correctness") return Rejection{Reason::wrong_result, message};
  if (text == "constraints") return Rejection{Reason::not_applicable, message};
  return Rejection{Reason::internal_error, message};
}

std::string text_or_empty(const std::optional<JsonCursor>& object, std::string_view member) {
  const auto found = object ? object->find(member) : std::nullopt;
  return found && found->is_text() ? found->text() : std::string();
}

double read_unit(const JsonCursor& root) {
  const auto metadata = root.find("metadata");
  for (const auto& object : {metadata, std::optional<JsonCursor>(root)}) {
    for (const std::string_view member : {"timeunit", "time_unit", "TimeUnit"}) {
      const std::string unit = text_or_empty(object, member);
      if (unit.empty()) continue;
      const double nanoseconds = nanoseconds_in(unit);
      if (nanoseconds == 0) object->at(member).fail(fmt::format("unknown time unit '{}'", unit));
      return nanoseconds;
    }
  }
  return 1e6;  // Kernel Tuner's unit, and what files without the member mean
}

class ResultReader {
 public:
  explicit ResultReader(double unit_ns) : unit_ns_(unit_ns) {}

  RecordedEntry read(const JsonCursor& result) const {
    RecordedEntry entry;
    entry.rejection = t4_rejection(result);
    read_measurements(result, entry);
    if (entry.rejection) return entry;
    Samples samples;
    const auto times = result.find("times");
    if (const auto runtimes = times ? times->find("runtimes") : std::nullopt)
      for (const JsonCursor& runtime : runtimes->elements()) samples.push_back(runtime.number() * unit_ns_);
    if (samples.empty() && entry.time_ns > 0) samples.push_back(entry.time_ns);
    set_samples(entry, std::move(samples));
    return entry;
  }

 private:
  void read_measurements(const JsonCursor& result, RecordedEntry& entry) const {
    const auto measurements = result.find("measurements");
    if (!measurements) return;
    for (const JsonCursor& measurement : measurements->elements()) {
      const JsonCursor value = measurement.at("value");
      if (!value.is_number()) continue;  // Kernel Tuner puts an error's name here
      const std::string& name = measurement.at("name").text();
      if (name != "time") {
        entry.counters[name] = value.number();
        continue;
      }
      const double unit = nanoseconds_in(text_or_empty(measurement, "unit"));
      entry.time_ns = value.number() * (unit > 0 ? unit : unit_ns_);
    }
  }

  double unit_ns_;
};

}  // namespace

Recording read_t4(const JsonCursor& root) {
  Recording recording;
  recording.format = RecordingFormat::t4;
  const auto metadata = root.find("metadata");
  recording.kernel = text_or_empty(metadata, "kernel_name");
  recording.device.name = text_or_empty(metadata, "device");
  const ResultReader reader(read_unit(root));
  RecordingBuilder builder;
  for (const JsonCursor& result : root.at("results").elements()) {
    std::vector<NamedLiteral> config;
    for (const auto& [name, value] : result.at("configuration").members()) config.push_back({name, value.literal()});
    builder.add(result, std::move(config), reader.read(result));
  }
  builder.read_numbers_from_text();
  builder.finish(root, recording);
  recording.sizes.front().dims = {{"batch", 1}};
  return recording;
}

}  // namespace kerntune
