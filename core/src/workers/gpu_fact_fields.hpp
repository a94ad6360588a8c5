// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <kerntune/core/gpu_facts.hpp>

namespace kerntune {

/// Every fact with its name in JSON: visit("vbios", facts.vbios) and so on. `Facts` may be const.
template <class Facts, class Visit>
  requires std::is_same_v<std::remove_const_t<Facts>, BoardFacts>
void each_fact(Facts& facts, Visit visit) {
  visit("pci_bus_id", facts.pci_bus_id);
  visit("vbios", facts.vbios);
  visit("power_limit_mw", facts.power_limit_mw);
  visit("power_limit_default_mw", facts.power_limit_default_mw);
  visit("power_limit_min_mw", facts.power_limit_min_mw);
  visit("power_limit_max_mw", facts.power_limit_max_mw);
  visit("sm_clock_max_mhz", facts.sm_clock_max_mhz);
  visit("memory_clock_max_mhz", facts.memory_clock_max_mhz);
  visit("temperature_slowdown_c", facts.temperature_slowdown_c);
  visit("ecc", facts.ecc);
  visit("mig", facts.mig);
  visit("persistence_mode", facts.persistence_mode);
  visit("pcie_generation", facts.pcie_generation);
  visit("pcie_generation_max", facts.pcie_generation_max);
  visit("pcie_width", facts.pcie_width);
  visit("pcie_width_max", facts.pcie_width_max);
  visit("nvlinks_active", facts.nvlinks_active);
  visit("numa_nodes", facts.numa_nodes);
  visit("cpu_affinity", facts.cpu_affinity);
}

template <class Facts, class Visit>
  requires std::is_same_v<std::remove_const_t<Facts>, GpuState>
void each_fact(Facts& facts, Visit visit) {
  visit("sm_clock_mhz", facts.sm_clock_mhz);
  visit("memory_clock_mhz", facts.memory_clock_mhz);
  visit("power_mw", facts.power_mw);
  visit("temperature_c", facts.temperature_c);
  visit("gpu_utilization_pct", facts.gpu_utilization_pct);
  visit("memory_utilization_pct", facts.memory_utilization_pct);
  visit("clock_event_reasons", facts.clock_event_reasons);
  visit("sw_power_cap_ns", facts.sw_power_cap_ns);
  visit("sw_thermal_slowdown_ns", facts.sw_thermal_slowdown_ns);
  visit("hw_thermal_slowdown_ns", facts.hw_thermal_slowdown_ns);
  visit("hw_power_brake_slowdown_ns", facts.hw_power_brake_slowdown_ns);
  visit("pcie_generation", facts.pcie_generation);
  visit("pcie_width", facts.pcie_width);
}

namespace gpu_json {

template <class Json, class T>
Json value(const T& fact) {
  return fact;
}
template <class Json>
Json value(const ClockEvents& events) {
  return names_of(events);
}

/// An object with every fact, null where it is absent.
template <class Json, class Facts>
Json object(const Facts& facts) {
  Json json = Json::object();
  each_fact(facts, [&](const char* name, const auto& fact) { json[name] = fact ? value<Json>(*fact) : Json(nullptr); });
  return json;
}

template <class Json>
Json snapshot(const GpuSnapshot& snapshot) {
  Json json = {{"at", snapshot.at}};
  json.update(object<Json>(snapshot.state));
  return json;
}

template <class Json>
Json snapshots(const GpuSnapshots& all) {
  Json json = Json::array();
  for (const GpuSnapshot& one : all) json.push_back(snapshot<Json>(one));
  return json;
}

template <class T, class Json>
T value_from(const Json& json) {
  if constexpr (std::is_same_v<T, ClockEvents>)
    return clock_events_from(json.template get<std::vector<std::string>>());
  else
    return json.template get<T>();
}

/// A fact that an older program did not write is absent.
template <class Facts, class Json>
Facts from(const Json& json) {
  Facts facts;
  each_fact(facts, [&](const char* name, auto& fact) {
    using T = typename std::remove_reference_t<decltype(fact)>::value_type;
    if (const auto found = json.find(name); found != json.end() && !found->is_null()) fact = value_from<T>(*found);
  });
  return facts;
}

}  // namespace gpu_json
}  // namespace kerntune
