// SPDX-License-Identifier: Apache-2.0
#include "inspect.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kerntune::cuda {
namespace {

class Inspector {
 public:
  Inspector(Context& context, CUfunction function, const LaunchPlan& plan, const DeviceProperties& device)
      : context_(context), function_(function), plan_(plan), device_(device) {}

  LaunchFacts run() {
    facts_.kernel.regs = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
    facts_.local_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    facts_.static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    facts_.threads_per_block = product(plan_.block);
    facts_.blocks = product(plan_.grid);
    check_block();
    check_grid();
    check_shared();
    set_limits();
    count_resident_blocks();
    check_cluster();
    check_cooperative();
    return facts_;
  }

 private:
  static double product(const std::array<std::uint32_t, 3>& size) {
    return static_cast<double>(size[0]) * static_cast<double>(size[1]) * static_cast<double>(size[2]);
  }

  std::int64_t attribute(CUfunction_attribute which) {
    int value = 0;
    context_.check(context_.api().function_attribute(&value, which, function_),
                   "read an attribute of '" + plan_.entry + "'");
    return value;
  }

  [[noreturn]] void reject(const std::string& why) const {
    throw Rejected(Reason::device_limit, fmt::format("launch '{}': {}", plan_.entry, why));
  }

  void check_block() {
    const auto limit = static_cast<double>(attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    if (facts_.threads_per_block < 1) reject("a block of no threads");
    if (facts_.threads_per_block > limit)
      reject(
          fmt::format("a block of {} threads, this kernel can have {} ({} registers per thread, {} threads per block "
                      "on the device)",
                      facts_.threads_per_block, limit, facts_.kernel.regs, device_.max_threads_per_block));
    const int z_limit = context_.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
    if (plan_.block[2] > static_cast<unsigned>(z_limit))
      reject(fmt::format("a block {} deep, the limit is {}", plan_.block[2], z_limit));
  }

  void check_grid() {
    constexpr CUdevice_attribute kLimits[] = {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                                              CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto limit = static_cast<unsigned>(context_.attribute(kLimits[axis]));
      if (plan_.grid[axis] < 1 || plan_.grid[axis] > limit)
        reject(fmt::format("grid {} is {}, expected 1 to {}", "xyz"[axis], plan_.grid[axis], limit));
    }
  }

  void check_shared() {
    const std::int64_t total = facts_.static_shared_bytes + plan_.shared_bytes;
    if (total > device_.shared_per_block_optin)
      reject(fmt::format("{} bytes of shared memory ({} static, {} dynamic), the device has {} per block", total,
                         facts_.static_shared_bytes, plan_.shared_bytes, device_.shared_per_block_optin));
  }

  /// Occupancy depends on them.
  void set_limits() {
    const auto set = [this](CUfunction_attribute which, int value) {
      context_.check(context_.api().function_set_attribute(function_, which, value),
                     "set an attribute of '" + plan_.entry + "'");
    };
    set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(plan_.shared_bytes));
    set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, plan_.carveout);
    if (cluster_size() != 0 && device_.compute_capability >= 90)
      set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  }

  void count_resident_blocks() {
    int blocks = 0;
    const auto threads = static_cast<int>(facts_.threads_per_block);
    context_.check(context_.api().max_active_blocks(&blocks, function_, threads, plan_.shared_bytes),
                   "ask for the occupancy of '" + plan_.entry + "'");
    facts_.kernel.blocks_per_sm = blocks;
    if (blocks < 1)
      reject(
          fmt::format("no block fits a multiprocessor: {} threads, {} registers per thread, {} bytes of shared memory",
                      threads, facts_.kernel.regs, facts_.static_shared_bytes + plan_.shared_bytes));
    const double warp = static_cast<double>(device_.warp_size);
    const double resident = blocks * std::ceil(facts_.threads_per_block / warp) * warp;
    facts_.occupancy = resident / static_cast<double>(device_.max_threads_per_sm);
    facts_.waves = facts_.blocks / static_cast<double>(blocks * device_.sm_count);
  }

  unsigned cluster_size() const { return plan_.cluster[0] * plan_.cluster[1] * plan_.cluster[2]; }

  void check_cluster() {
    if (cluster_size() == 0) return;
    if (device_.compute_capability < 90)
      throw Rejected(Reason::unsupported,
                     fmt::format("launch '{}': clusters need compute capability 9.0, this device has {}.{}",
                                 plan_.entry, device_.compute_capability / 10, device_.compute_capability % 10));
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (plan_.grid[axis] % plan_.cluster[axis] != 0)
        reject(fmt::format("grid {} is {}, no multiple of its cluster's {}", "xyz"[axis], plan_.grid[axis],
                           plan_.cluster[axis]));
    if (context_.api().max_active_clusters == nullptr) return;
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {plan_.cluster[0], plan_.cluster[1], plan_.cluster[2]};
    const CUlaunchConfig config{plan_.grid[0],  plan_.grid[1],      plan_.grid[2],     plan_.block[0], plan_.block[1],
                                plan_.block[2], plan_.shared_bytes, context_.stream(), &attribute,     1};
    int clusters = 0;
    const CUresult asked = context_.api().max_active_clusters(&clusters, function_, &config);
    if (asked == CUDA_ERROR_INVALID_CLUSTER_SIZE || (asked == CUDA_SUCCESS && clusters < 1))
      reject(fmt::format("no cluster of {} blocks fits the device", cluster_size()));
    context_.check(asked, "ask how many clusters of '" + plan_.entry + "' fit");
  }

  /// Every block of a cooperative grid must be resident at once.
  void check_cooperative() {
    const auto resident = static_cast<double>(facts_.kernel.blocks_per_sm * device_.sm_count);
    if (plan_.cooperative && facts_.blocks > resident)
      reject(fmt::format("a cooperative grid of {} blocks, {} fit the device at once", facts_.blocks, resident));
  }

  Context& context_;
  CUfunction function_;
  const LaunchPlan& plan_;
  const DeviceProperties& device_;
  LaunchFacts facts_;
};

}  // namespace

std::int64_t registers_of(Context& context, CUfunction function) {
  int registers = 0;
  context.check(context.api().function_attribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
                "read a kernel's register count");
  return registers;
}

LaunchFacts inspect(Context& context, CUfunction function, const LaunchPlan& plan, const DeviceProperties& device) {
  return Inspector(context, function, plan, device).run();
}

}  // namespace kerntune::cuda
