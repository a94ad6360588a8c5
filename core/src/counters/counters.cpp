// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/counters.hpp>

#include <kerntune/core/device.hpp>

namespace kerntune {

CounterProfile Session::profile(const std::vector<Prepared*>&, const CounterRequest&) {
  CounterProfile none;
  none.access.reason = "this kind of device has no hardware counters";
  none.access.remedy = "profile on a CUDA device";
  return none;
}

std::string_view name_of(Reading::Status status) noexcept {
  switch (status) {
    case Reading::Status::ok:
      return "ok";
    case Reading::Status::missing:
      return "missing";
    case Reading::Status::dropped:
      return "dropped";
    case Reading::Status::invalid:
      return "invalid";
  }
  return "invalid";
}

std::optional<double> Counters::value(std::string_view metric) const noexcept {
  for (const Reading& reading : readings)
    if (reading.metric == metric && reading.status == Reading::Status::ok) return reading.value;
  return std::nullopt;
}

std::string_view name_of(CounterAccess::Rung rung) noexcept {
  switch (rung) {
    case CounterAccess::Rung::usable:
      return "usable";
    case CounterAccess::Rung::no_cuda:
      return "no_cuda";
    case CounterAccess::Rung::no_library:
      return "no_library";
    case CounterAccess::Rung::wrong_library:
      return "wrong_library";
    case CounterAccess::Rung::old_architecture:
      return "old_architecture";
    case CounterAccess::Rung::unknown_chip:
      return "unknown_chip";
    case CounterAccess::Rung::unsupported_device:
      return "unsupported_device";
    case CounterAccess::Rung::no_permission:
      return "no_permission";
    case CounterAccess::Rung::busy:
      return "busy";
    case CounterAccess::Rung::failed:
      return "failed";
  }
  return "failed";
}

std::string sentence_of(const CounterAccess& access) {
  return access.remedy.empty() ? access.reason : access.reason + "; " + access.remedy;
}

}  // namespace kerntune
