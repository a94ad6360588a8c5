// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/plugin_host.hpp>
#include <kerntune/core/tuner.hpp>

#include "engine/examiner.hpp"
#include "engine/material.hpp"
#include "engine/session_setup.hpp"
#include "engine/statistics.hpp"

namespace kerntune {
namespace {

constexpr int kWarmup = 3;

RunResult describe_run(const RunRequest& request, const TuningContext& context, const search::Config& config,
                       const Dims& dims) {
  RunResult result;
  result.kernel = request.kernel.spec.name;
  result.config = context.program->space().text(config);
  result.dims = dims;
  result.device = context.device;
  const auto work = context.program->work(context.program->bind_dims(dims, context.device.properties));
  result.flop = work.flop;
  result.bytes = work.bytes;
  return result;
}

void run_in_worker(Workshop& shop, const RunRequest& request, const search::Config& config, RunResult& result) {
  auto material = Entrance(shop, result.dims).admit(config);
  if (!material) {
    result.rejection = material.error();
    return;
  }
  LaneAnswer answer = shop.lane->evaluate(
      {1, config, result.config, std::move(material->modules), request.launches, true, std::move(material->edge_code)});
  result.rejection = answer.rejection;
  result.samples_ns = std::move(answer.timing.samples_ns);
  result.sample_flags = std::move(answer.timing.flags);
  result.clock_mhz = answer.timing.clock_mhz;
  result.verified = answer.verified;
  result.verification = answer.verification;
  result.facts = std::move(answer.facts);
}

/// The same in this process, for ncu, compute-sanitizer and cuda-gdb. The one place where kerntune opens a plugin and a
/// device in the process that the user started.
void run_here(const TuningContext& context, Device& device, const PluginKernel* plugin, const RunRequest& request,
              const search::Config& config, RunResult& result) {
  auto material = prepare_material(context, config, result.dims, nvrtc::compile);
  if (!material) {
    result.rejection = material.error();
    return;
  }
  const auto fail = [&](const Rejection& rejection) { result.rejection = rejection; };
  const SessionRequest tuned{context.program,
                             result.dims,
                             context.policy,
                             material->session.default_modules,
                             material->session.reference_modules,
                             verification_seeds()};
  auto session = device.open(tuned, plugin);
  if (!session) return fail(session.error());
  auto prepared = (*session)->prepare(config, material->modules);
  if (!prepared) return fail(prepared.error());
  result.facts = (*prepared)->facts();
  auto samples = (*session)->time(**prepared, kWarmup, request.launches);
  if (!samples) return fail(samples.error());
  result.samples_ns = std::move(samples->samples_ns);
  result.sample_flags = std::move(samples->flags);
  result.clock_mhz = samples->clock_mhz;
  Examiner examiner(device, plugin, tuned);
  const auto verified = examiner.full({**session, **prepared, config, material->modules, material->edge_code});
  if (!verified) return fail(verified.error());
  result.verification = *verified;
  result.verified = (*session)->verified_by();
}

RunResult run_in_process(const RunRequest& request) {
  std::optional<PluginLibrary> library;
  if (request.kernel.from_plugin) library = PluginLibrary::open(request.kernel.origin);
  TuningContext context;
  context.kernel = request.kernel;
  context.program = std::make_shared<SpecProgram>(request.kernel.spec);
  context.policy = request.policy;
  const search::Config config = config_named(request.config, *context.program);
  const Dims dims = complete_dims(request, *context.program);
  const auto device = open_device(request.device);
  context.device = device->info();
  RunResult result = describe_run(request, context, config, dims);
  run_here(context, *device, library ? library->find(request.kernel.spec.name) : nullptr, request, config, result);
  return result;
}

}  // namespace

RunResult run_config(const RunRequest& request) {
  RunResult result;
  if (request.in_process) {
    result = run_in_process(request);
  } else {
    const auto program = std::make_shared<const SpecProgram>(request.kernel.spec);
    const search::Config config = config_named(request.config, *program);
    const Dims dims = complete_dims(request, *program);
    Workshop shop = open_workshop(request, program);
    result = describe_run(request, shop.context, config, dims);
    run_in_worker(shop, request, config, result);
  }
  if (result.rejection) result.samples_ns.clear();
  if (!result.samples_ns.empty()) result.median_ns = median(result.samples_ns);
  return result;
}

}  // namespace kerntune
