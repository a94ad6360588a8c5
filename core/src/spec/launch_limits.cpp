// SPDX-License-Identifier: Apache-2.0
#include "spec/launch_limits.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace kerntune {
namespace {

/// Largest thread block cluster that a kernel can ask for with the non-portable size allowed (CUDA C++ Programming
/// Guide, thread block clusters).
constexpr std::int64_t kMaxClusterBlocks = 16;
constexpr std::int64_t kMaxBlockZ = 64;  // of all compute capabilities

/// INT64_MAX if it is more than that.
std::int64_t product(const std::array<std::uint32_t, 3>& v) {
  std::int64_t result = 1;
  for (const std::uint32_t factor : v)
    if (__builtin_mul_overflow(result, std::int64_t{factor}, &result)) return INT64_MAX;
  return result;
}

/// Blocks of so many threads that a multiprocessor holds at most, whatever else they use.
std::int64_t resident_blocks(std::int64_t threads, const DeviceProperties& device) {
  if (threads > device.max_threads_per_block) return 0;
  const std::int64_t warp = std::max<std::int64_t>(device.warp_size, 1);
  const std::int64_t held = std::max<std::int64_t>((threads + warp - 1) / warp * warp, 1);
  return std::min(device.max_threads_per_sm / held, device.max_blocks_per_sm);
}

std::optional<std::string> cluster_beyond(const LaunchPlan& launch, const DeviceProperties& device) {
  const std::int64_t blocks = product(launch.cluster);
  if (blocks == 0) return std::nullopt;
  if (device.compute_capability < 90) {
    return fmt::format("thread block clusters need compute capability 9.0; the device has {}.{}",
                       device.compute_capability / 10, device.compute_capability % 10);
  }
  if (blocks > kMaxClusterBlocks) return fmt::format("a cluster of {} blocks; at most {}", blocks, kMaxClusterBlocks);
  return std::nullopt;
}

/// All blocks of a cooperative launch are resident at once.
std::optional<std::string> cooperative_beyond(const LaunchPlan& launch, const DeviceProperties& device) {
  if (!launch.cooperative) return std::nullopt;
  std::int64_t per_sm = resident_blocks(product(launch.block), device);
  if (launch.shared_bytes > 0) per_sm = std::min(per_sm, device.shared_per_sm / launch.shared_bytes);
  const std::int64_t most = per_sm * device.sm_count;
  if (product(launch.grid) <= most) return std::nullopt;
  return fmt::format("a cooperative launch of {} blocks; the device holds at most {} of {} threads at once",
                     product(launch.grid), most, product(launch.block));
}

}  // namespace

std::optional<std::string> beyond_limits(const LaunchPlan& launch, const DeviceProperties& device) {
  const std::int64_t threads = product(launch.block);
  if (threads > device.max_threads_per_block) {
    return fmt::format("a block of {}x{}x{} = {} threads; the device allows {}", launch.block[0], launch.block[1],
                       launch.block[2], threads, device.max_threads_per_block);
  }
  if (launch.block[2] > kMaxBlockZ)
    return fmt::format("block z of {}; the device allows {}", launch.block[2], kMaxBlockZ);
  if (std::int64_t{launch.shared_bytes} > device.shared_per_block_optin) {
    return fmt::format("{} bytes of dynamic shared memory; the device allows {} per block", launch.shared_bytes,
                       device.shared_per_block_optin);
  }
  if (auto why = cluster_beyond(launch, device)) return why;
  return cooperative_beyond(launch, device);
}

std::optional<std::string> beyond_limits(const CompilePlan& plan, const DeviceProperties& device) {
  if (plan.min_blocks_per_sm == 0 || plan.bounded_threads == 0) return std::nullopt;
  const std::int64_t most = resident_blocks(plan.bounded_threads, device);
  if (plan.min_blocks_per_sm <= most) return std::nullopt;
  return fmt::format("{} blocks of {} threads on each multiprocessor (min_blocks_per_sm); the device holds at most {}",
                     plan.min_blocks_per_sm, plan.bounded_threads, most);
}

}  // namespace kerntune
