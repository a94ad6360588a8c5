// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/plugin_host.hpp>
#include <kerntune/core/tuner.hpp>

#include "engine/edge_code.hpp"
#include "engine/examiner.hpp"
#include "engine/final.hpp"
#include "engine/session_setup.hpp"
#include "engine/static_filter.hpp"
#include "engine/statistics.hpp"

namespace kerntune {
namespace {

constexpr int kWarmup = 3;

Dims complete(const RunRequest& request, const SpecProgram& program) {
  Dims dims = request.dims;
  const Dim& batch = program.spec().batch_dim();
  dims[batch.name] = request.batch > 0 ? request.batch : batch.default_value;
  return program.complete_dims(dims);
}

search::Config parse_config(const RunRequest& request, const SpecProgram& program) {
  if (request.config.empty()) return program.default_config();
  search::Config config = program.space().parse(request.config);
  if (!program.space().contains(config)) {
    throw UsageError(fmt::format("run kernel '{}': configuration {} violates a constraint", program.spec().name,
                                 program.space().text(config)));
  }
  return config;
}

/// One configuration's compiled code and everything that verifying it needs.
struct Material {
  SessionStart session;
  std::vector<CompiledModule> modules;
  std::vector<EdgeCode> edge_code;
};

template <class Compile>
tl::expected<Material, Rejection> prepare_material(const TuningContext& context, const search::Config& config,
                                                   const Dims& dims, const Compile& compile) {
  const SpecProgram& program = *context.program;
  Material material;
  material.session = {dims, context.policy, {}, {}, verification_seeds(), 0};
  const auto view = static_filter(context, config, dims);
  if (!view) return tl::unexpected(view.error());
  if (!context.compiles()) return material;
  const auto& code = std::get<SourceCode>(program.spec().code);
  auto own = compile(compile_job(code, view->compile, context.device.arch));
  if (!own) return tl::unexpected(own.error());
  if (auto ok = check_compiled(context, *view, *own); !ok) return tl::unexpected(ok.error());
  material.modules.push_back(std::move(*own));
  if (const auto job = job_for(context, program.default_config(), dims)) {
    if (auto module = compile(*job)) material.session.default_modules.push_back(std::move(*module));
  }
  if (const auto& reference = program.spec().reference.kernel) {
    const auto plan = program.reference_compile_plan(program.bind_dims(dims, context.device.properties));
    if (!plan) return tl::unexpected(plan.error());
    auto module = compile(compile_job(reference->code, *plan, context.device.arch));
    if (!module) return tl::unexpected(module.error());
    material.session.reference_modules.push_back(std::move(*module));
  }
  auto edges = compile_edges(context, {config}, dims, [&](const std::vector<CompileJob>& jobs) {
    std::vector<tl::expected<CompiledModule, Rejection>> compiled;
    for (const CompileJob& job : jobs) compiled.push_back(compile(job));
    return compiled;
  });
  if (!edges.front()) return tl::unexpected(edges.front().error());
  material.edge_code = std::move(*edges.front());
  return material;
}

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
  const auto compile = [&](const CompileJob& job) { return std::move(shop.pool->compile_all({job}).front()); };
  auto material = prepare_material(shop.context, config, result.dims, compile);
  if (!material) {
    result.rejection = material.error();
    return;
  }
  if (const auto opened = shop.lane->start_session(std::move(material->session)); !opened) {
    result.rejection = opened.error();
    return;
  }
  shop.lane->submit(
      {1, config, result.config, std::move(material->modules), request.launches, true, std::move(material->edge_code)});
  std::vector<LaneAnswer> answers;
  while ((answers = shop.lane->collect()).empty()) {
    std::vector<pollfd> fds;
    shop.lane->add_poll_fds(fds);
    ::poll(fds.data(), fds.size(), 100);
  }
  LaneAnswer& answer = answers.front();
  result.rejection = answer.rejection;
  result.samples_ns = std::move(answer.samples);
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
  result.samples_ns = std::move(*samples);
  Examiner examiner(device, plugin, tuned);
  const auto verified = examiner.full({**session, **prepared, config, material->modules, material->edge_code});
  if (!verified) return fail(verified.error());
  result.verification = *verified;
  result.verified = (*session)->verified_by();
}

RunResult run_in_process(const RunRequest& request) {
  std::optional<PluginLibrary> library;
  if (request.kernel.from_plugin) library = PluginLibrary::open(request.kernel.origin);
  const auto device = open_device(request.device);
  TuningContext context;
  context.kernel = request.kernel;
  context.program = std::make_shared<SpecProgram>(request.kernel.spec);
  context.device = device->info();
  context.policy = request.policy;
  const search::Config config = parse_config(request, *context.program);
  RunResult result = describe_run(request, context, config, complete(request, *context.program));
  run_here(context, *device, library ? library->find(request.kernel.spec.name) : nullptr, request, config, result);
  return result;
}

}  // namespace

RunResult run_config(const RunRequest& request) {
  RunResult result;
  if (request.in_process) {
    result = run_in_process(request);
  } else {
    WorkshopLimits limits;
    limits.lane.step_s = request.timeout_s;
    Workshop shop = open_workshop(request.kernel, request.device, request.policy, limits);
    const search::Config config = parse_config(request, *shop.context.program);
    result = describe_run(request, shop.context, config, complete(request, *shop.context.program));
    run_in_worker(shop, request, config, result);
  }
  if (result.rejection) result.samples_ns.clear();
  if (!result.samples_ns.empty()) result.median_ns = median(result.samples_ns);
  return result;
}

}  // namespace kerntune
