// SPDX-License-Identifier: Apache-2.0
#include "engine/session_setup.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>

namespace kerntune {
namespace {

/// One CPU stays free for the supervisor and the device worker where there are enough.
int default_compile_processes() {
  const int cpus = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return cpus > 2 ? cpus - 1 : cpus;
}

void check_launchable(const KernelEntry& kernel, const DeviceInfo& device) {
  if (device.kind == DeviceKind::replay || kernel.spec.launchable()) return;
  throw UsageError(
      fmt::format("tune kernel '{}' of {}: the file describes a space without code; only its space can be looked at",
                  kernel.spec.name, kernel.origin));
}

}  // namespace

Workshop open_workshop(const KernelEntry& kernel, std::shared_ptr<const SpecProgram> program, const std::string& device,
                       const MeasurePolicy& policy, const WorkshopLimits& limits) {
  Workshop shop;
  shop.lane = std::make_unique<DeviceLane>(kernel, device, limits.lane);
  TuningContext& context = shop.context;
  context.kernel = kernel;
  context.policy = policy;
  context.program = std::move(program);
  context.code_digest = code_digest(kernel.spec);
  context.space_digest = space_digest(kernel.spec);
  context.reference_digest = reference_digest(kernel.spec, kernel.plugin_build_id);
  context.device = shop.lane->open();
  check_launchable(kernel, context.device);
  std::string nvrtc;
  if (context.compiles()) {
    shop.compile_processes = limits.compile_processes > 0 ? limits.compile_processes : default_compile_processes();
    shop.pool = std::make_unique<CompilePool>(shop.compile_processes, CubinCache::default_folder(), limits.compile);
    shop.pool->require_arch(context.device.arch);
    nvrtc = shop.pool->nvrtc_version();
  }
  context.toolchain = toolchain_of(kernel, context.device, nvrtc);
  return shop;
}

Workshop open_workshop(const RunRequest& request, std::shared_ptr<const SpecProgram> program) {
  WorkshopLimits limits;
  limits.lane.step_s = request.timeout_s;
  return open_workshop(request.kernel, std::move(program), request.device, request.policy, limits);
}

}  // namespace kerntune
