// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/report.hpp>

#include "failures.hpp"
#include "json_parts.hpp"
#include "text_table.hpp"

namespace kerntune::report {
namespace {

std::string size_table(const TuneReport& report, const Style& style) {
  TextTable table;
  for (const char* heading : {"batch", "evaluated", "reused", "failed", "pruned", "fastest seen"})
    table.column(heading, Align::right);
  table.column("configuration");
  for (const BatchResult& batch : report.batches) {
    const EvaluationTrace* fastest = fastest_seen(batch);
    table.row({{grouped(batch.batch), Ink::bold},
               {grouped(batch.evaluated)},
               {grouped(batch.reused)},
               {grouped(batch.failed), batch.failed > 0 ? Ink::warn : Ink::plain},
               {grouped(batch.pruned_static)},
               {fastest == nullptr ? "none" : time_text(fastest->time_ns, style)},
               {fastest == nullptr ? printable(batch.note) : fastest->config_text}});
  }
  return table.text(2, style);
}

std::string output_line(const RecordingReport& report, const Style& style) {
  if (report.written)
    return fmt::format("\nrecorded in {}; replay it with\n  kerntune tune {} --device {}\n", report.output,
                       shell_word(report.tune.kernel), shell_word("replay:" + report.output));
  return "\n" + inked("interrupted: no recording was written; the same command goes on from here", Ink::warn, style) +
         "\n";
}

Json fastest_json(const BatchResult& batch) {
  const EvaluationTrace* fastest = fastest_seen(batch);
  if (fastest == nullptr) return nullptr;
  return {{"config", config_json(fastest->config_text)}, {"time_ns", fastest->time_ns}};
}

Json size_json(const BatchResult& batch) {
  Json json = {{"batch", batch.batch}, {"dims", dims_json(batch.dims)}};
  json["evaluated"] = batch.evaluated;
  json["reused"] = batch.reused;
  json["failed"] = batch.failed;
  json["pruned_static"] = batch.pruned_static;
  json["failures"] = failures_json(batch);
  json["fastest"] = fastest_json(batch);
  json["wall_s"] = batch.wall_s;
  json["note"] = batch.note;
  return json;
}

}  // namespace

const EvaluationTrace* fastest_seen(const BatchResult& batch) {
  const EvaluationTrace* fastest = nullptr;
  for (const EvaluationTrace& trace : batch.trace) {
    if (trace.status != EvaluationTrace::Status::measured || !(trace.time_ns > 0)) continue;
    if (fastest == nullptr || trace.time_ns < fastest->time_ns) fastest = &trace;
  }
  return fastest;
}

std::string record_text(const RecordingReport& report, const Style& style) {
  const TuneReport& tune = report.tune;
  std::string out =
      fmt::format("{} on {} ({})\n{} valid configurations, {}, {}\n\n", inked(tune.kernel, Ink::bold, style),
                  tune.device.name, tune.device.id, grouped(tune.space_count), tune.policy, duration_text(tune.wall_s));
  out += size_table(tune, style);
  const std::string failures = failures_text(tune, style);
  if (!failures.empty()) out += '\n' + failures;
  return out + warnings_text(tune, style) + output_line(report, style);
}

std::string record_json(const RecordingReport& report) {
  const TuneReport& tune = report.tune;
  Json json = {{"kernel", tune.kernel}, {"device", tune.device.id}, {"device_key", tune.device.device_class}};
  json["policy"] = tune.policy;
  json["space_count"] = tune.space_count;
  json["output"] = report.output;
  json["written"] = report.written;
  json["interrupted"] = tune.interrupted;
  json["wall_s"] = tune.wall_s;
  json["store"] = tune.store_path;
  json["batches"] = Json::array();
  for (const BatchResult& batch : tune.batches) json["batches"].push_back(size_json(batch));
  json["warnings"] = tune.warnings;
  return document(json);
}

}  // namespace kerntune::report
