// SPDX-License-Identifier: Apache-2.0
#include "counters_parts.hpp"

#include <nlohmann/json.hpp>

#include "counters/bottleneck.hpp"

namespace kerntune::report {

Json counters_json(const Counters& counters) {
  if (counters.empty()) return nullptr;
  Json json = {{"chip", counters.chip}, {"cupti", counters.cupti}, {"set", counters.set}, {"passes", counters.passes}};
  json["readings"] = Json::array();
  for (const Reading& reading : counters.readings) {
    const bool ok = reading.status == Reading::Status::ok;
    Json one = {
        {"metric", reading.metric}, {"value", ok ? Json(reading.value) : Json(nullptr)}, {"unit", reading.unit}};
    one["status"] = name_of(reading.status);
    if (!reading.counted_as.empty()) one["counted_as"] = reading.counted_as;
    json["readings"].push_back(std::move(one));
  }
  return json;
}

Json explanation_json(const Counters& counters, const Facts& facts, const DeviceInfo& device, double time_ns) {
  if (counters.empty()) return nullptr;
  const CounterFeatures f = features_of(counters, facts, device, time_ns);
  const Bottleneck b = bottleneck_of(f);
  Json json;
  json["limits"] = limits_text(f, facts);
  json["bottleneck"] = {{"dram", b.dram},     {"l2", b.l2},       {"l1", b.l1},           {"compute", b.compute},
                        {"tensor", b.tensor}, {"issue", b.issue}, {"latency", b.latency}, {"tail", b.tail}};
  json["features"] = {{"achieved_occupancy", optional_number(f.achieved_occupancy)},
                      {"possible_occupancy", optional_number(f.possible_occupancy)},
                      {"occupancy_limiter", name_of(f.limiter)},
                      {"memory_wait_fraction", optional_number(f.memory_wait_fraction)},
                      {"active_fraction", optional_number(f.active_fraction)},
                      {"dram_bytes", optional_number(f.dram_bytes)},
                      {"l2_sectors", optional_number(f.l2_sectors)},
                      {"l1_sectors", optional_number(f.l1_sectors)},
                      {"l2_miss_fraction", optional_number(f.l2_miss_fraction)},
                      {"sectors_per_request", optional_number(f.sectors_per_request)},
                      {"instructions", optional_number(f.instructions)},
                      {"clock_mhz", optional_number(f.clock_mhz)}};
  return json;
}

std::vector<std::string> counter_changes(const Finalist& best, const Finalist& other, const DeviceInfo& device) {
  if (best.counters.empty() || other.counters.empty() || best.config_text == other.config_text) return {};
  return changes_text({best.config_text, best.counters, best.facts, best.time_ns},
                      {other.config_text, other.counters, other.facts, other.time_ns}, device);
}

Json access_json(const CounterAccess& access) {
  return {{"usable", access.usable()}, {"rung", name_of(access.rung)}, {"reason", access.reason},
          {"remedy", access.remedy},   {"chip", access.chip},          {"cupti", access.cupti},
          {"library", access.library}, {"tried", access.tried}};
}

}  // namespace kerntune::report
