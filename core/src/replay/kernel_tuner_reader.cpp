// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "replay/recording_builder.hpp"

// Kernel Tuner's cache: a header and "cache", a map from comma-joined values to a flat record. Times are milliseconds;
// a failed configuration has the error's class name in place of its time.

namespace kerntune {
namespace {

constexpr double kNanosecondsInMillisecond = 1e6;

constexpr std::array<std::string_view, 5> kOwnTimes{"verification_time", "benchmark_time", "strategy_time",
                                                    "framework_time", "timestamp"};

std::string text_or(const JsonCursor& object, std::string_view member, std::string absent) {
  const auto found = object.find(member);
  return found && found->is_text() ? found->text() : std::move(absent);
}

Rejection kernel_tuner_rejection(const std::string& error) {
  const std::string message = "recorded by Kernel Tuner as " + error;
  if (error == "CompilationFailedConfig") return {Reason::compile_error, message};
  if (error == "RuntimeFailedConfig") return {Reason::launch_error, message};
  if (error == "InvalidConfig") return {Reason::not_applicable, message + ": a constraint is violated"};
  return {Reason::internal_error, message};
}

Samples read_samples(const JsonCursor& record, double time_ms) {
  Samples samples;
  if (const auto times = record.find("times"); times && times->is_array())
    for (const JsonCursor& time : times->elements())
      if (time.is_number()) samples.push_back(time.number() * kNanosecondsInMillisecond);
  if (samples.empty()) samples.push_back(time_ms * kNanosecondsInMillisecond);
  return samples;
}

RecordedEntry read_entry(const JsonCursor& record) {
  RecordedEntry entry;
  const JsonCursor time = record.at("time");
  if (time.is_text()) {
    entry.rejection = kernel_tuner_rejection(time.text());
  } else if (time.is_number()) {
    entry.time_ns = time.number() * kNanosecondsInMillisecond;
    set_samples(entry, read_samples(record, time.number()));
  } else {
    set_samples(entry, {});
  }
  return entry;
}

class CacheReader {
 public:
  explicit CacheReader(const JsonCursor& root) : root_(root) {
    if (const auto keys = root.find("tune_params_keys"))
      for (const JsonCursor& key : keys->elements()) names_.push_back(key.text());
    if (const auto params = root.find("tune_params")) declare(*params);
  }

  void read(Recording& recording) {
    for (const auto& [key, record] : root_.at("cache").members()) read_record(record);
    builder_.finish(root_, recording);
  }

 private:
  void declare(const JsonCursor& params) {
    if (names_.empty())
      for (const auto& [name, values] : params.members()) names_.emplace_back(name);
    for (const std::string& name : names_) {
      const JsonCursor values = params.at(name);
      std::vector<expr::Literal> literals;
      for (const JsonCursor& value : values.elements()) literals.push_back(value.literal());
      builder_.declare(values, name, std::move(literals));
    }
  }

  bool is_param(std::string_view name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }

  void read_record(const JsonCursor& record) {
    if (names_.empty()) record.fail("neither tune_params_keys nor tune_params names the parameters");
    RecordedEntry entry = read_entry(record);
    std::vector<NamedLiteral> config;
    for (const auto& [name, value] : record.members()) {
      if (is_param(name)) {
        config.push_back({name, value.literal()});
      } else if (name == "compile_time" && value.is_number()) {
        entry.facts["compile_ms"] = value.number();
      } else if (value.is_number() && name != "time" &&
                 std::find(kOwnTimes.begin(), kOwnTimes.end(), name) == kOwnTimes.end()) {
        entry.counters.emplace(name, value.number());
      }
    }
    builder_.add(record, std::move(config), std::move(entry));
  }

  JsonCursor root_;
  std::vector<std::string> names_;
  RecordingBuilder builder_;
};

// "problem_size": a number, or a list of which only numbers are sizes.
Dims read_problem_size(const JsonCursor& root) {
  constexpr std::array<const char*, 3> kNames{"problem_size_x", "problem_size_y", "problem_size_z"};
  Dims dims{{"batch", 1}};
  const auto given = root.find("problem_size");
  if (!given) return dims;
  const auto sizes = given->is_array() ? given->elements() : std::vector<JsonCursor>{*given};
  for (std::size_t i = 0; i < std::min(sizes.size(), kNames.size()); ++i)
    if (sizes[i].is_integer() && sizes[i].integer() >= 0) dims[kNames[i]] = sizes[i].integer();
  return dims;
}

}  // namespace

Recording read_kernel_tuner(const JsonCursor& root) {
  Recording recording;
  recording.format = RecordingFormat::kernel_tuner;
  recording.kernel = text_or(root, "kernel_name", "kernel");
  recording.device.name = text_or(root, "device_name", "");
  CacheReader(root).read(recording);
  recording.sizes.front().dims = read_problem_size(root);
  return recording;
}

}  // namespace kerntune
