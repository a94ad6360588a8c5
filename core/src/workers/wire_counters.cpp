// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <nlohmann/json.hpp>

#include "workers/wire.hpp"

namespace kerntune::wire {
namespace {

template <typename Enum, std::size_t Count>
Enum named(const std::array<Enum, Count>& all, const std::string& name, Enum otherwise) {
  for (const Enum one : all)
    if (name_of(one) == name) return one;
  return otherwise;
}

json reading_json(const Reading& reading) {
  json j{{"metric", reading.metric}, {"unit", reading.unit}, {"status", name_of(reading.status)}};
  if (!reading.counted_as.empty()) j["counted_as"] = reading.counted_as;
  if (reading.status == Reading::Status::ok) j["value"] = reading.value;
  return j;
}

Reading reading_from(const json& j) {
  using Status = Reading::Status;
  constexpr std::array kAll{Status::ok, Status::missing, Status::dropped, Status::invalid};
  Reading reading;
  reading.metric = j.at("metric");
  reading.unit = j.at("unit");
  reading.counted_as = j.value("counted_as", "");
  reading.status = named(kAll, j.at("status").get<std::string>(), Status::invalid);
  reading.value = j.value("value", 0.0);
  return reading;
}

}  // namespace

json from(const Counters& counters) {
  json readings = json::array();
  for (const Reading& reading : counters.readings) readings.push_back(reading_json(reading));
  return {{"chip", counters.chip},
          {"cupti", counters.cupti},
          {"set", counters.set},
          {"passes", counters.passes},
          {"readings", readings}};
}

Counters counters(const json& j) {
  Counters counters;
  counters.chip = j.at("chip");
  counters.cupti = j.at("cupti");
  counters.set = j.at("set");
  counters.passes = j.at("passes");
  for (const json& reading : j.at("readings")) counters.readings.push_back(reading_from(reading));
  return counters;
}

json from(const CounterAccess& access) {
  return {{"rung", name_of(access.rung)}, {"reason", access.reason},   {"remedy", access.remedy}, {"chip", access.chip},
          {"cupti", access.cupti},        {"library", access.library}, {"tried", access.tried}};
}

CounterAccess counter_access(const json& j) {
  using Rung = CounterAccess::Rung;
  constexpr std::array kAll{Rung::usable,
                            Rung::no_cuda,
                            Rung::no_library,
                            Rung::wrong_library,
                            Rung::old_architecture,
                            Rung::unknown_chip,
                            Rung::unsupported_device,
                            Rung::no_permission,
                            Rung::busy,
                            Rung::failed};
  CounterAccess access;
  access.rung = named(kAll, j.at("rung").get<std::string>(), Rung::failed);
  access.reason = j.at("reason");
  access.remedy = j.at("remedy");
  access.chip = j.at("chip");
  access.cupti = j.at("cupti");
  access.library = j.at("library");
  access.tried = j.at("tried");
  return access;
}

json from(const CounterRequest& request) {
  return {{"set", request.set},
          {"metrics", request.metrics},
          {"max_passes", request.max_passes},
          {"keep_on", request.keep_on}};
}

CounterRequest counter_request(const json& j) {
  return {j.at("set"), j.at("metrics").get<std::vector<std::string>>(), j.at("max_passes"), j.at("keep_on")};
}

}  // namespace kerntune::wire
