// SPDX-License-Identifier: Apache-2.0
#include "json_parts.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "describe.hpp"
#include "workers/gpu_fact_fields.hpp"

namespace kerntune::report {

Json literal_json(const expr::Literal& literal) {
  return std::visit([](const auto& value) -> Json { return value; }, literal);
}

Json config_json(std::string_view config) {
  Json json = Json::object();
  for (const ConfigValue& value : parse_config_text(config)) json[value.name] = literal_json(value.value);
  return json;
}

Json number_or_null(double value) { return value > 0 && std::isfinite(value) ? Json(value) : Json(nullptr); }

Json optional_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json facts_json(const Facts& facts) {
  Json json = Json::object();
  for (const auto& [name, value] : facts) json[name] = value;
  return json;
}

Json dims_json(const Dims& dims) {
  Json json = Json::object();
  for (const auto& [name, value] : dims) json[name] = value;
  return json;
}

namespace {

std::string_view kind_name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::host:
      return "host";
    case DeviceKind::cuda:
      return "cuda";
    case DeviceKind::replay:
      return "replay";
  }
  return "unknown";
}

Json limits_json(const DeviceProperties& p) {
  return {{"sm_count", p.sm_count},
          {"max_threads_per_block", p.max_threads_per_block},
          {"max_threads_per_sm", p.max_threads_per_sm},
          {"max_blocks_per_sm", p.max_blocks_per_sm},
          {"shared_per_block", p.shared_per_block},
          {"shared_per_block_optin", p.shared_per_block_optin},
          {"shared_per_sm", p.shared_per_sm},
          {"registers_per_block", p.registers_per_block},
          {"registers_per_sm", p.registers_per_sm},
          {"l2_bytes", p.l2_bytes},
          {"warp_size", p.warp_size},
          {"compute_capability", p.compute_capability},
          {"cpu_cores", p.cpu_cores}};
}

}  // namespace

Json device_json(const DeviceInfo& device) {
  return {{"id", device.id},
          {"kind", kind_name(device.kind)},
          {"name", device.name},
          {"device_key", device.device_class},
          {"arch", device.arch},
          {"driver", device.driver},
          {"uuid", device.uuid},
          {"memory_bytes", device.memory_bytes},
          {"peak_bytes_per_s", number_or_null(device.peak_bytes_per_s)},
          {"peak_flop_per_s_f32", number_or_null(device.peak_flop_per_s_f32)},
          {"limits", limits_json(device.properties)},
          {"board", board_json(device.board)}};
}

Json board_json(const std::optional<BoardFacts>& board) {
  return board ? gpu_json::object<Json>(*board) : Json(nullptr);
}

Json param_json(const ParamSpec& param) {
  Json values = Json::array();
  for (const expr::Literal& value : param.values) values.push_back(literal_json(value));
  Json json = {{"name", param.name}, {"values", values}, {"default", literal_json(param.default_value)}};
  json["role"] = param.role == Role::none ? Json(nullptr) : Json(name_of(param.role));
  json["summary"] = param.summary;
  return json;
}

Json count_json(search::Count count) {
  if (count <= UINT64_MAX) return static_cast<std::uint64_t>(count);
  return search::to_string(count);
}

Json index_json(const std::string& digits) {
  // 19 digits always fit 64 bits without a sign.
  if (digits.size() > 19) return digits;
  return static_cast<std::uint64_t>(std::stoull(digits));
}

Json roofline_json(const Roofline& roofline) {
  using Limit = Roofline::Limit;
  const char* limit = roofline.limit == Limit::compute  ? "compute"
                      : roofline.limit == Limit::memory ? "memory"
                                                        : "unknown";
  return {{"flop_per_s", optional_number(roofline.flop_per_s)},
          {"bytes_per_s", optional_number(roofline.bytes_per_s)},
          {"limit", limit},
          {"fraction", number_or_null(roofline.fraction)}};
}

Json verification_json(const Verification& v) {
  if (v.runs == 0) return nullptr;
  Json json = {{"seeds", v.seeds}, {"sizes", v.sizes}, {"runs", v.runs}, {"elements", v.elements}};
  json["max_abs_error"] = v.max_abs_error;
  json["max_rel_error"] = v.max_rel_error;
  json["rel_l2_error"] = v.rel_l2_error;
  json["cosine"] = v.cosine;
  json["deterministic"] = v.deterministic;
  json["complete"] = v.complete;
  json["worst"] = v.worst.buffer.empty()
                      ? Json(nullptr)
                      : Json{{"buffer", v.worst.buffer},     {"index", v.worst.index}, {"got", v.worst.got},
                             {"expected", v.worst.expected}, {"seed", v.worst.seed},   {"size", v.worst.size}};
  return json;
}

Json verification_json(const std::string& stored) {
  const auto verification = stored_verification(stored);
  return verification ? verification_json(*verification) : Json(nullptr);
}

Json failures_json(const BatchResult& batch) {
  Json json = Json::object();
  for (const auto& [reason, count] : batch.failures_by_reason) json[reason] = count;
  return json;
}

std::string document(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

}  // namespace kerntune::report
