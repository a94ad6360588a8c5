// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kerntune/core/device.hpp>
#include <kerntune/core/spec_program.hpp>

#include "context.hpp"

namespace kerntune::cuda {

/// What the driver says about a kernel at a geometry, before it is launched.
struct LaunchFacts {
  KernelFacts kernel;  // registers, blocks per SM
  std::int64_t local_bytes = 0, static_shared_bytes = 0;
  double threads_per_block = 0, blocks = 0;
  double occupancy = 0;  // resident threads in whole warps, of what an SM can hold
  double waves = 0;      // blocks, of what the device holds at once
};

/// Registers per thread.
std::int64_t registers_of(Context& context, CUfunction function);

/// Facts of `function` launched as `plan`. Changes the function's attributes; call KernelLaunch::activate before
/// launching. Errors: Rejected device_limit with the numbers, if the device cannot run it: block, grid, shared memory,
/// cluster or cooperative grid too large, or no block fits an SM; unsupported for a cluster on a device without.
LaunchFacts inspect(Context& context, CUfunction function, const LaunchPlan& plan, const DeviceProperties& device);

}  // namespace kerntune::cuda
