// SPDX-License-Identifier: Apache-2.0
#include "representative_devices.hpp"

#include <array>

namespace kerntune {
namespace {

/// What differs between the boards; the rest is the same from compute capability 7.0 to 10.0.
struct Board {
  std::int64_t compute_capability, sm_count, shared_optin_kib, shared_sm_kib, l2_mib;
};

constexpr DeviceProperties properties_of(const Board& board) {
  return {.sm_count = board.sm_count,
          .max_threads_per_block = 1024,
          .max_threads_per_sm = 2048,
          .max_blocks_per_sm = 32,
          .shared_per_block = 48 * 1024,
          .shared_per_block_optin = board.shared_optin_kib * 1024,
          .shared_per_sm = board.shared_sm_kib * 1024,
          .registers_per_block = 65536,
          .registers_per_sm = 65536,
          .l2_bytes = board.l2_mib * 1024 * 1024,
          .warp_size = 32,
          .compute_capability = board.compute_capability,
          .is_cuda = 1,
          .cpu_cores = 0};
}

constexpr std::array<RepresentativeDevice, 5> kDevices{{
    {"NVIDIA V100", properties_of({70, 80, 96, 96, 6})},
    {"NVIDIA A100", properties_of({80, 108, 163, 164, 40})},
    {"NVIDIA H100", properties_of({90, 132, 227, 228, 50})},
    {"NVIDIA H200", properties_of({90, 132, 227, 228, 60})},
    {"NVIDIA B200", properties_of({100, 148, 227, 228, 126})},
}};

}  // namespace

std::span<const RepresentativeDevice> representative_devices() noexcept { return kDevices; }

}  // namespace kerntune
