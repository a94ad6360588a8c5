// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <kerntune/core/tuner.hpp>

#include "engine/compile_pool.hpp"
#include "engine/context.hpp"
#include "engine/device_lane.hpp"

namespace kerntune {

/// The worker processes of a run and what they said about the device: what tune, run and record begin with.
struct Workshop {
  TuningContext context;
  std::unique_ptr<DeviceLane> lane;
  std::unique_ptr<CompilePool> pool;  // null for kernels that do not compile
  int compile_processes = 0;
};

/// What the processes of a workshop may take, and how many compile.
struct WorkshopLimits {
  LaneLimits lane;
  CompileLimits compile;
  int compile_processes = 0;  // 0: by the number of CPUs
};

/// `program`: of the kernel, made beforehand: what a request gets wrong is said before a device is opened for it.
/// Errors: DeviceError, UsageError.
Workshop open_workshop(const KernelEntry& kernel, std::shared_ptr<const SpecProgram> program, const std::string& device,
                       const MeasurePolicy& policy, const WorkshopLimits& limits);
Workshop open_workshop(const RunRequest& request, std::shared_ptr<const SpecProgram> program);

}  // namespace kerntune
