// SPDX-License-Identifier: Apache-2.0
#include "representative_devices.hpp"

#include <array>

#include "spec/architecture_limits.hpp"

namespace kerntune {
namespace {

RepresentativeDevice board(std::string_view name, int compute_capability, std::int64_t sm_count, std::int64_t l2_mib) {
  DeviceProperties properties = architecture_limits(compute_capability).value();
  properties.sm_count = sm_count;
  properties.l2_bytes = l2_mib * 1024 * 1024;
  return {name, properties};
}

}  // namespace

std::span<const RepresentativeDevice> representative_devices() {
  static const std::array<RepresentativeDevice, 5> devices{{
      board("NVIDIA V100", 70, 80, 6),
      board("NVIDIA A100", 80, 108, 40),
      board("NVIDIA H100", 90, 132, 50),
      board("NVIDIA H200", 90, 132, 60),
      board("NVIDIA B200", 100, 148, 126),
  }};
  return devices;
}

}  // namespace kerntune
