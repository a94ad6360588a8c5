// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <nlohmann/json.hpp>

#include "analysis.hpp"
#include "html.hpp"
#include "json_parts.hpp"

namespace kerntune::report {
namespace {

/// Four significant digits are all that a chart can show, and a page with ten thousand points stays small.
double rounded(double value) {
  if (!(value > 0)) return 0;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

std::string changes_line(const std::string& config, const std::string& default_config) {
  std::string line;
  for (const ConfigChange& change : changes_from(config, default_config))
    line += (line.empty() ? "" : ", ") + change.name + " " + change.value;
  return line.empty() ? "the default" : line;
}

std::string_view status_name(EvaluationTrace::Status status) {
  switch (status) {
    case EvaluationTrace::Status::measured:
      return "measured";
    case EvaluationTrace::Status::slower:
      return "slower";
    case EvaluationTrace::Status::rejected:
      return "rejected";
  }
  return "rejected";
}

Json point_json(const EvaluationTrace& trace, const std::string& default_config) {
  Json point = {{"s", status_name(trace.status)}, {"t", rounded(trace.time_ns)}};
  point["c"] = changes_line(trace.config_text, default_config);
  if (trace.reused) point["k"] = 1;
  if (trace.rejection) point["r"] = name_of(trace.rejection->reason);
  if (!trace.facts.empty()) point["f"] = facts_json(trace.facts);
  return point;
}

Json effects_json(const TuneReport& report, const BatchResult& batch) {
  Json effects = Json::object();
  for (const ParameterEffect& effect : parameter_effects(report.spec, batch)) {
    Json values = Json::array();
    for (const ValueGroup& group : effect.values)
      values.push_back({{"v", group.value},
                        {"p", group.points},
                        {"q", {rounded(group.q1), rounded(group.median), rounded(group.q3)}}});
    effects[effect.name] = std::move(values);
  }
  return effects;
}

std::int64_t best_point(const BatchResult& batch) {
  if (!batch.best) return -1;
  for (std::size_t i = 0; i < batch.trace.size(); ++i)
    if (batch.trace[i].config_text == batch.best->config_text) return static_cast<std::int64_t>(i);
  return -1;
}

Json batch_json(const TuneReport& report, const BatchResult& batch) {
  const std::string default_config = batch.default_config ? batch.default_config->config_text : std::string();
  Json json = {{"batch", batch.batch}, {"best", batch.best ? rounded(batch.best->time_ns) : 0}};
  json["default"] = batch.default_config ? rounded(batch.default_config->time_ns) : 0;
  json["best_point"] = best_point(batch);
  json["points"] = Json::array();
  for (const EvaluationTrace& trace : batch.trace) json["points"].push_back(point_json(trace, default_config));
  json["line"] = Json::array();
  for (const double best : best_so_far(batch)) json["line"].push_back(rounded(best));
  json["effects"] = effects_json(report, batch);
  return json;
}

}  // namespace

std::string page_data(const TuneReport& report) {
  Json json = {{"batches", Json::array()}};
  for (const BatchResult& batch : report.batches) json["batches"].push_back(batch_json(report, batch));
  return script_safe(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace kerntune::report
