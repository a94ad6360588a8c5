// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "replay/recording_builder.hpp"

// KTT's results: "Metadata" with the time unit, and "Results" of one run each, with durations, compilation data and
// counters.

namespace kerntune {
namespace {

std::optional<Rejection> ktt_rejection(const JsonCursor& status) {
  const std::string& text = status.text();
  const std::string message = "recorded by KTT as " + text;
  if (text == "Ok") return std::nullopt;
  if (text == "CompilationFailed") return Rejection{Reason::compile_error, message};
  if (text == "ComputationFailed") return Rejection{Reason::launch_error, message};
  if (text == "ValidationFailed") return Rejection{Reason::wrong_result, message};
  if (text == "DeviceLimitsExceeded") return Rejection{Reason::device_limit, message};
  return Rejection{Reason::internal_error, message};
}

void read_fact(const JsonCursor& object, std::string_view member, const char* fact, Facts& facts) {
  if (const auto value = object.find(member); value && value->is_number()) facts[fact] = value->number();
}

double volume(const JsonCursor& vector) {
  return vector.at("X").number() * vector.at("Y").number() * vector.at("Z").number();
}

// KTT names memory as OpenCL does: local is a block's shared memory, private a thread's local memory.
void read_facts(const JsonCursor& result, bool global_is_blocks, Facts& facts) {
  if (const auto compilation = result.find("CompilationData")) {
    read_fact(*compilation, "RegistersCount", "regs", facts);
    read_fact(*compilation, "LocalMemorySize", "static_shared_bytes", facts);
    read_fact(*compilation, "PrivateMemorySize", "local_bytes", facts);
    read_fact(*compilation, "ConstantMemorySize", "constant_bytes", facts);
  }
  const auto local = result.find("LocalSize");
  const auto global = result.find("GlobalSize");
  if (!local || !global) return;
  facts["threads_per_block"] = volume(*local);
  if (volume(*local) > 0) facts["blocks"] = volume(*global) / (global_is_blocks ? 1 : volume(*local));
}

void read_counters(const JsonCursor& result, std::map<std::string, double>& counters) {
  const auto profiling = result.find("ProfilingData");
  const auto list = profiling ? profiling->find("Counters") : std::nullopt;
  if (!list) return;
  for (const JsonCursor& counter : list->elements())
    if (const JsonCursor value = counter.at("Value"); value.is_number())
      counters[counter.at("Name").text()] = value.number();
}

std::vector<NamedLiteral> read_config(const JsonCursor& configuration) {
  std::vector<NamedLiteral> config;
  for (const JsonCursor& pair : configuration.elements()) {
    expr::Literal value = pair.at("Value").literal();
    const auto type = pair.find("ValueType");
    const bool is_double = type && type->is_text() && type->text() == "Double";
    if (is_double && pair.at("Value").is_number()) value = pair.at("Value").number();
    config.push_back({pair.at("Name").text(), std::move(value)});
  }
  return config;
}

// The duration of the whole computation: launches of all its kernels and what the launcher timed itself.
double total_duration(const JsonCursor& run) {
  if (const auto total = run.find("TotalDuration"); total && total->is_number()) return total->number();
  double sum = 0;
  for (const JsonCursor& result : run.at("ComputationResults").elements()) sum += result.at("Duration").number();
  return sum;
}

RecordedEntry read_run(const JsonCursor& run, double unit_ns, bool global_is_blocks) {
  RecordedEntry entry;
  entry.rejection = ktt_rejection(run.at("Status"));
  if (const auto results = run.find("ComputationResults"); results && results->size() > 0) {
    const JsonCursor first = results->elements().front();
    read_facts(first, global_is_blocks, entry.facts);
    read_counters(first, entry.counters);
  }
  if (!entry.rejection) set_samples(entry, {total_duration(run) * unit_ns});
  return entry;
}

}  // namespace

Recording read_ktt(const JsonCursor& root) {
  const JsonCursor metadata = root.at("Metadata");
  const auto text = [&](std::string_view member) {
    const auto found = metadata.find(member);
    return found ? found->text() : std::string();
  };
  const std::string unit = text("TimeUnit");
  const double unit_ns = unit.empty() ? 1e3 : nanoseconds_in(unit);
  if (unit_ns == 0) metadata.at("TimeUnit").fail(fmt::format("unknown time unit '{}'", unit));
  Recording recording;
  recording.format = RecordingFormat::ktt;
  recording.device.name = text("Device");
  RecordingBuilder builder;
  for (const JsonCursor& run : root.at("Results").elements()) {
    if (recording.kernel.empty())
      if (const auto name = run.find("KernelName")) recording.kernel = name->text();
    builder.add(run, read_config(run.at("Configuration")), read_run(run, unit_ns, text("GlobalSizeType") != "OpenCL"));
  }
  builder.finish(root, recording);
  recording.sizes.front().dims = {{"batch", 1}};
  return recording;
}

}  // namespace kerntune
