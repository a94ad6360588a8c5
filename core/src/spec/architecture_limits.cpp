// SPDX-License-Identifier: Apache-2.0
#include "spec/architecture_limits.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace kerntune {
namespace {

/// What differs between architectures; the rest is the same from 7.0 to 12.0.
struct Row {
  int compute_capability;
  std::int64_t threads_per_sm, blocks_per_sm, shared_optin_kib, shared_sm_kib;
};

// CUDA Programming Guide, "Technical Specifications per Compute Capability": release 12.9 for 7.0, 13.0 for the others.
// cuda_occupancy.h of the same toolkits agrees in blocks and shared memory per multiprocessor.
constexpr std::array<Row, 8> kRows{{
    {70, 2048, 32, 96, 96},
    {75, 1024, 16, 64, 64},
    {80, 2048, 32, 163, 164},
    {86, 1536, 16, 99, 100},
    {89, 1536, 24, 99, 100},
    {90, 2048, 32, 227, 228},
    {100, 2048, 32, 227, 228},
    {120, 1536, 24, 99, 100},
}};

constexpr auto kKnown = [] {
  std::array<int, kRows.size()> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = kRows[i].compute_capability;
  return numbers;
}();

}  // namespace

std::optional<DeviceProperties> architecture_limits(int compute_capability) noexcept {
  const auto row = std::ranges::find(kRows, compute_capability, &Row::compute_capability);
  if (row == kRows.end()) return std::nullopt;
  return DeviceProperties{.sm_count = 0,
                          .max_threads_per_block = 1024,
                          .max_threads_per_sm = row->threads_per_sm,
                          .max_blocks_per_sm = row->blocks_per_sm,
                          .shared_per_block = 48 * 1024,
                          .shared_per_block_optin = row->shared_optin_kib * 1024,
                          .shared_per_sm = row->shared_sm_kib * 1024,
                          .registers_per_block = 65536,
                          .registers_per_sm = 65536,
                          .l2_bytes = 0,
                          .warp_size = 32,
                          .compute_capability = compute_capability,
                          .is_cuda = 1,
                          .cpu_cores = 0};
}

std::span<const int> known_architectures() noexcept { return kKnown; }

}  // namespace kerntune
