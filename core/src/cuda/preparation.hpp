// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <kerntune/core/compile.hpp>
#include <kerntune/core/device.hpp>
#include <kerntune/core/spec_program.hpp>

#include "prepared.hpp"

namespace kerntune::cuda {

/// What preparing a configuration needs of its session. Borrowed.
struct PreparationSite {
  Context& context;
  ModuleCache& modules;
  BufferPool& buffers;
  const SpecProgram& program;
  const Dims& dims;
  const DeviceInfo& device;
  const PluginKernel* plugin;  // null for spec files
};

/// Makes a configuration ready: modules loaded, buffers made, geometry resolved and checked, arguments laid out.
/// Errors: Rejected.
std::unique_ptr<CudaPrepared> prepare(const PreparationSite& site, const search::Config& config,
                                      std::span<const CompiledModule> compiled);

/// Makes one launch from a plan whose geometry is final (steps of a reference kernel). Errors: Rejected.
KernelLaunch launch_of(Context& context, ModuleCache& modules, const LaunchPlan& plan, const BufferSet& buffers,
                       std::span<const CompiledModule> compiled);

}  // namespace kerntune::cuda
