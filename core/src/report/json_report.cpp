// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <kerntune/core/report.hpp>
#include <kerntune/search/param_space.hpp>

#include "counters_parts.hpp"
#include "json_parts.hpp"
#include "spaces.hpp"

namespace kerntune::report {
namespace {

Json dim_json(const Dim& dim) {
  return {{"name", dim.name}, {"batch", dim.batch}, {"min", dim.min}, {"max", dim.max}, {"default", dim.default_value}};
}

Json kernel_json(const KernelEntry& entry) {
  const search::ParamSpace space = space_of(entry.spec);
  Json json = {{"name", entry.spec.name}, {"summary", entry.spec.summary}, {"revision", entry.spec.revision}};
  json["count"] = count_json(space.count());
  json["kind"] = entry.spec.is_source() ? "source" : "callable";
  json["dims"] = Json::array();
  for (const Dim& dim : entry.spec.dims) json["dims"].push_back(dim_json(dim));
  json["params"] = Json::array();
  for (const ParamSpec& param : entry.spec.params) json["params"].push_back(param_json(param));
  json["constraints"] = entry.spec.constraints;
  json["origin"] = entry.origin;
  json["plugin"] =
      entry.from_plugin
          ? Json{{"name", entry.plugin_name}, {"version", entry.plugin_version}, {"build_id", entry.plugin_build_id}}
          : Json(nullptr);
  return json;
}

}  // namespace

std::string devices_json(const DeviceList& list) {
  Json json = {{"devices", Json::array()}, {"unavailable", list.unavailable}};
  for (const DeviceInfo& device : list.devices) {
    json["devices"].push_back(device_json(device));
    const auto counters = list.counters.find(device.id);
    json["devices"].back()["counters"] =
        counters == list.counters.end() ? Json(nullptr) : access_json(counters->second);
  }
  return document(json);
}

std::string kernels_json(const Catalogue& catalogue) {
  Json json = {{"kernels", Json::array()}, {"problems", Json::array()}};
  for (const KernelEntry& entry : catalogue.kernels) json["kernels"].push_back(kernel_json(entry));
  for (const CatalogueProblem& problem : catalogue.problems)
    json["problems"].push_back({{"path", problem.path}, {"message", problem.message}});
  return document(json);
}

std::string query_json(const QueryAnswer& answer, bool explain) {
  Json json = {{"kernel", answer.kernel}, {"batch", answer.batch}, {"found", answer.found}};
  json["config"] = config_json(answer.config);
  json["tuned_batch"] = answer.tuned_batch > 0 ? Json(answer.tuned_batch) : Json(nullptr);
  json["time_ns"] = number_or_null(answer.time_ns);
  json["bound"] = number_or_null(answer.bound);
  json["reason"] = answer.reason;
  json["dims"] = answer.other_dims;
  json["assumed_dims"] = dims_json(answer.assumed_dims);
  json["device_key"] = answer.device_key.empty() ? Json(nullptr) : Json(answer.device_key);
  json["policy"] = answer.policy.empty() ? Json(nullptr) : Json(answer.policy);
  if (explain) {
    json["tuned"] = Json::array();
    for (const storage::FinalRecord& record : answer.finals) json["tuned"].push_back(final_json(record));
  }
  return document(json);
}

std::string error_json(std::string_view kind, std::string_view message, int exit_code) {
  return document({{"error", {{"kind", kind}, {"message", message}, {"exit_code", exit_code}}}});
}

}  // namespace kerntune::report
