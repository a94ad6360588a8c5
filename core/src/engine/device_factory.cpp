// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include <fmt/format.h>

#include <kerntune/core/device.hpp>
#include <kerntune/core/errors.hpp>
#include <kerntune/core/replay.hpp>

#include "cuda/cuda_device.hpp"
#include "host/host_device.hpp"

namespace kerntune {
namespace {

constexpr std::string_view kCuda = "cuda:";
constexpr std::string_view kReplay = "replay:";

int cuda_ordinal(std::string_view id) {
  const std::string_view digits = id.substr(kCuda.size());
  int ordinal = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (error != std::errc() || end != digits.data() + digits.size() || ordinal < 0) {
    throw UsageError(fmt::format("open device '{}': expected a device number after 'cuda:'", id));
  }
  return ordinal;
}

}  // namespace

std::string MeasurePolicy::text() const {
  return fmt::format("l2={},mode={},method=1", l2 == L2::cold ? "cold" : "warm",
                     mode == Mode::eager ? "eager" : "graph");
}

std::unique_ptr<Device> open_device(std::string_view id) {
  if (id == "host") return open_host_device();
  if (id.starts_with(kCuda)) return open_cuda_device(cuda_ordinal(id));
  if (id.starts_with(kReplay)) return open_replay_device(id.substr(kReplay.size()));
  throw UsageError(fmt::format("open device '{}': expected host, cuda:N or replay:FILE", id));
}

DeviceList list_devices() {
  DeviceList list;
  list.devices = list_cuda_devices(list.unavailable);
  for (const DeviceInfo& device : list.devices) list.counters.emplace(device.id, cuda_counter_access(device));
  list.devices.push_back(host_device_info());
  return list;
}

}  // namespace kerntune
