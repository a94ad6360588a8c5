// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <kerntune/core/report.hpp>

#include "describe.hpp"
#include "json_parts.hpp"

namespace kerntune::report {
namespace {

/// The GPU while a winner was found, as the engine stored it; null if it did not.
Json gpu_of(const storage::FinalRecord& record) {
  const Json details = Json::parse(record.details_json, nullptr, /*allow_exceptions=*/false);
  if (!details.is_object() || !details.contains("gpu") || !details.at("gpu").is_object()) return nullptr;
  return details.at("gpu");
}

std::string_view status_name(storage::Status status) {
  switch (status) {
    case storage::Status::measured:
      return "measured";
    case storage::Status::slower:
      return "slower";
    case storage::Status::rejected:
      return "rejected";
  }
  return "rejected";
}

/// JSON that the engine stored; text if it is not JSON after all.
Json stored_json(const std::string& text) {
  if (text.empty()) return nullptr;
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? Json(text) : json;
}

Json run_json_of(const storage::RunRecord& run) {
  Json json = {{"run_id", run.run_id}, {"kernel", run.kernel}, {"started_unix_us", run.started_unix_us}};
  json["ended_unix_us"] = run.ended_unix_us ? Json(*run.ended_unix_us) : Json(nullptr);
  json["outcome"] = run.outcome;
  json["strategy"] = run.strategy;
  json["seed"] = run.seed;
  json["command"] = run.command;
  json["host"] = run.host;
  json["version"] = run.version;
  return json;
}

Json evaluation_json(const storage::EvaluationRecord& record) {
  Json json = {{"config", config_json(record.key.config)}, {"dims", record.key.dims}};
  json["device_key"] = record.key.device_class;
  json["toolchain"] = record.key.toolchain;
  json["policy"] = record.key.policy;
  json["status"] = status_name(record.status);
  json["time_ns"] = number_or_null(record.median_ns);
  json["reason"] = record.reason.empty() ? Json(nullptr) : Json(record.reason);
  json["message"] = record.message.empty() ? Json(nullptr) : Json(record.message);
  json["verified"] = record.verified;
  json["proven"] = record.proven;
  json["verification"] = verification_json(record.verification_json);
  json["samples_ns"] = record.samples_ns;
  json["facts"] = stored_json(record.facts_json);
  json["compile"] = stored_json(record.compile_json);
  json["run_id"] = record.run_id;
  json["started_unix_us"] = record.started_unix_us;
  return json;
}

Json runs_json(const std::vector<storage::RunRecord>& runs) {
  Json json = Json::array();
  for (const storage::RunRecord& run : runs) json.push_back(run_json_of(run));
  return json;
}

Json finals_json(const std::vector<storage::FinalRecord>& finals) {
  Json json = Json::array();
  for (const storage::FinalRecord& record : finals) json.push_back(final_json(record));
  return json;
}

}  // namespace

Json final_json(const storage::FinalRecord& record) {
  Json json = {{"kernel", record.kernel}, {"batch", record.batch}, {"dims", record.other_dims}};
  json["device_key"] = record.device_class;
  json["toolchain"] = record.toolchain;
  json["policy"] = record.policy;
  json["config"] = config_json(record.config);
  json["time_ns"] = number_or_null(record.time_ns);
  json["default"] = {{"config", config_json(record.default_config)},
                     {"time_ns", number_or_null(record.default_time_ns)}};
  json["speedup"] = number_or_null(record.speedup);
  json["speedup_low"] = number_or_null(record.speedup_low);
  json["speedup_high"] = number_or_null(record.speedup_high);
  json["verified"] = record.verified;
  json["verification"] = verification_json(record.verification_json);
  json["ties"] = Json::array();
  for (const std::string& tie : record.ties) json["ties"].push_back(config_json(tie));
  json["unresolved"] = record.unresolved;
  json["provisional"] = provisional_of(record);
  json["gpu"] = gpu_of(record);
  json["run_id"] = record.run_id;
  json["finished_unix_us"] = record.finished_unix_us;
  return json;
}

std::string list_json(const StoreListing& listing) {
  return document(
      {{"store", listing.store}, {"results", finals_json(listing.finals)}, {"runs", runs_json(listing.runs)}});
}

std::string show_json(const KernelHistory& history) {
  Json json = {{"store", history.store}, {"kernel", history.kernel}, {"results", finals_json(history.finals)}};
  json["evaluations_total"] = history.evaluations_total;
  json["evaluations"] = Json::array();
  for (const storage::EvaluationRecord& record : history.evaluations)
    json["evaluations"].push_back(evaluation_json(record));
  json["runs"] = runs_json(history.runs);
  return document(json);
}

}  // namespace kerntune::report
