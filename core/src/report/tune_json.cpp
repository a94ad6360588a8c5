// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <kerntune/core/report.hpp>

#include "counters_parts.hpp"
#include "json_parts.hpp"
#include "workers/gpu_fact_fields.hpp"

namespace kerntune::report {
namespace {

Json finalist_json(const Finalist& finalist) {
  Json json = {{"config", config_json(finalist.config_text)},
               {"time_ns", finalist.time_ns},
               {"ratio", finalist.ratio},
               {"ratio_low", finalist.ratio_low},
               {"ratio_high", finalist.ratio_high},
               {"tie", finalist.tie},
               {"verified", finalist.verified},
               {"verification", verification_json(finalist.verification)},
               {"facts", facts_json(finalist.facts)}};
  json["counters"] = counters_json(finalist.counters);
  return json;
}

Json winner_json(const Finalist& finalist) {
  return {{"config", config_json(finalist.config_text)},
          {"time_ns", finalist.time_ns},
          {"verified", finalist.verified},
          {"verification", verification_json(finalist.verification)},
          {"facts", facts_json(finalist.facts)}};
}

Json best_json(const BatchResult& batch, const DeviceInfo& device) {
  if (!batch.best) return nullptr;
  Json json = winner_json(*batch.best);
  json["roofline"] = roofline_json(roofline(batch.best->time_ns, batch.flop, batch.bytes, device));
  const Finalist& best = *batch.best;
  json["counters"] = counters_json(best.counters);
  json["explanation"] = explanation_json(best.counters, best.facts, device, best.time_ns);
  json["changes_from_default"] =
      batch.default_config ? counter_changes(best, *batch.default_config, device) : std::vector<std::string>{};
  return json;
}

Json lane_json(const LaneTime& lane) {
  return {{"screened", lane.screened},
          {"samples", lane.samples},
          {"launches", lane.launches},
          {"busy_us", lane.busy_us},
          {"launched_us", lane.launched_us},
          {"verify_us", lane.verify_us},
          {"launched_share", lane.launched_share()},
          {"fixed_us_per_screened", lane.fixed_us_per_screened()},
          {"idle_while_ready_us", lane.idle_while_ready_us}};
}

Json incumbent_json(const std::optional<IncumbentDefence>& defence) {
  if (!defence) return nullptr;
  return {{"config", config_json(defence->config_text)},
          {"source", defence->source},
          {"against", config_json(defence->challenger_text)},
          {"ratio", defence->ratio},
          {"ratio_low", defence->ratio_low},
          {"ratio_high", defence->ratio_high},
          {"replaced", defence->replaced}};
}

Json ties_json(const BatchResult& batch) {
  Json json = Json::array();
  for (const std::string& tie : batch.ties) json.push_back(config_json(tie));
  return json;
}

Json batch_json(const BatchResult& batch, const DeviceInfo& device) {
  Json json = {{"batch", batch.batch}, {"dims", dims_json(batch.dims)}};
  json["evaluated"] = batch.evaluated;
  json["reused"] = batch.reused;
  json["failed"] = batch.failed;
  json["failures"] = failures_json(batch);
  json["pruned_static"] = batch.pruned_static;
  json["default"] = batch.default_config ? winner_json(*batch.default_config) : Json(nullptr);
  json["best"] = best_json(batch, device);
  json["ties"] = ties_json(batch);
  json["unresolved"] = batch.unresolved;
  json["speedup"] = number_or_null(batch.speedup);
  json["speedup_low"] = number_or_null(batch.speedup_low);
  json["speedup_high"] = number_or_null(batch.speedup_high);
  json["confirm_rounds"] = batch.confirm_rounds;
  json["finalists"] = Json::array();
  for (const Finalist& finalist : batch.finalists) json["finalists"].push_back(finalist_json(finalist));
  json["flop"] = optional_number(batch.flop);
  json["bytes"] = optional_number(batch.bytes);
  json["wall_s"] = batch.wall_s;
  json["lane_idle_fraction"] = batch.lane_idle_fraction;
  json["lane"] = lane_json(batch.lane);
  json["runs_per_sample"] = batch.runs_per_sample;
  json["throttled_samples"] = batch.throttled_samples;
  json["incumbent"] = incumbent_json(batch.defence);
  json["note"] = batch.note;
  json["provisional"] = batch.provisional;
  json["gpu_snapshots"] = gpu_json::snapshots<Json>(batch.gpu_snapshots);
  return json;
}

}  // namespace

std::string tune_json(const TuneReport& report) {
  Json json = {{"kernel", report.kernel}, {"device", report.device.id}};
  json["device_key"] = report.device.device_class;
  json["device_name"] = report.device.name;
  json["board"] = board_json(report.device.board);
  json["toolchain"] = report.toolchain;
  json["strategy"] = report.strategy;
  json["seed"] = report.seed;
  json["policy"] = report.policy;
  json["space_count"] = report.space_count;
  json["wall_s"] = report.wall_s;
  json["interrupted"] = report.interrupted;
  json["stopped"] = report.stopped;
  json["worker_restarts"] = report.worker_restarts;
  json["slowest_restart_s"] = report.slowest_restart_s;
  json["store"] = report.store_path;
  json["run_id"] = report.run_id;
  json["batches"] = Json::array();
  for (const BatchResult& batch : report.batches) json["batches"].push_back(batch_json(batch, report.device));
  json["warnings"] = report.warnings;
  return document(json);
}

}  // namespace kerntune::report
