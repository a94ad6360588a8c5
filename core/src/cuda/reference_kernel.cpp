// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "comparison.hpp"
#include "reference.hpp"

namespace kerntune::cuda {
namespace {

class KernelReference final : public ReferenceSource {
 public:
  KernelReference(const ReferenceSite& site, std::vector<CompiledModule> modules)
      : site_(site), modules_(std::move(modules)) {}

  ExpectedOutputs run(std::uint64_t seed, BufferSet& set) override {
    BufferSet own = with_own_outputs(set);
    const Binding binding = site_.program.bind_dims(site_.dims, site_.device.properties);
    StepList steps;
    for (const StepPlan& step : accepted(site_.program.reference_steps(binding, own.plans()))) add(steps, step, own);
    run_reference(site_, own, seed, "the reference kernel", [&] {
      steps.activate();
      steps.enqueue();
    });
    ExpectedOutputs outputs(own.size());
    for (std::size_t i = 0; i < own.size(); ++i)
      if (is_output(own.plans()[i].role)) outputs[i] = own.memory(i);
    return outputs;
  }

 private:
  void add(StepList& steps, const StepPlan& plan, const BufferSet& set) {
    if (const auto* launch = std::get_if<LaunchPlan>(&plan))
      steps.add(launch_of(site_.context, site_.modules, *launch, set, modules_));
    else
      steps.add(MemsetRun(site_.context, std::get<MemsetPlan>(plan), set));
  }

  /// Inputs shared, everything else new: the configuration's outputs stay as they are.
  BufferSet with_own_outputs(const BufferSet& set) {
    std::vector<std::shared_ptr<GuardedBuffer>> memory;
    for (std::size_t i = 0; i < set.size(); ++i)
      memory.push_back(set.plans()[i].role == BufferRole::in
                           ? set.memory(i)
                           : std::make_shared<GuardedBuffer>(site_.context, site_.kernels, set.plans()[i],
                                                             static_cast<unsigned>(i)));
    return {site_.kernels, {set.plans().begin(), set.plans().end()}, std::move(memory)};
  }

  ReferenceSite site_;
  std::vector<CompiledModule> modules_;
};

bool same_code(const CompilePlan& a, const CompilePlan& b) {
  return a.entries == b.entries && a.options == b.options && a.register_cap == b.register_cap;
}

CompiledModule compile_reference(const ReferenceSite& site, const CompilePlan& plan) {
  const SourceCode& code = site.program.spec().reference.kernel->code;
  CompileJob job{code.file, code.text, {}, plan.options, plan.entries, site.device.arch, plan.register_cap};
  for (const HeaderText& header : code.headers) job.headers.emplace_back(header.name, header.text);
  CubinCache cache(CubinCache::default_folder());
  CompiledModule module;
  if (cache.load(compile_key(job, nvrtc::version()), module)) return module;
  module = accepted(nvrtc::compile(job));
  cache.store(module);
  return module;
}

/// The reference's code at `check`'s dims: the session's, unless the code depends on the dims.
std::vector<CompiledModule> modules_at(const ReferenceSite& session, const ReferenceSite& check,
                                       const std::vector<CompiledModule>& modules) {
  const auto plan_of = [](const ReferenceSite& site) {
    return accepted(site.program.reference_compile_plan(site.program.bind_dims(site.dims, site.device.properties)));
  };
  const CompilePlan here = plan_of(check);
  if (same_code(here, plan_of(session))) return modules;
  return {compile_reference(check, here)};
}

}  // namespace

std::unique_ptr<ReferenceSource> reference_by_kernel(const ReferenceSite& site, std::vector<CompiledModule> modules) {
  return std::make_unique<KernelReference>(site, std::move(modules));
}

void check_reference_kernel(const ReferenceSite& site, const std::vector<CompiledModule>& modules) {
  constexpr std::uint64_t kSeed = 1;
  ReferenceSite small = site;
  small.dims = site.program.complete_dims(site.program.spec().reference.check_dims);
  const Binding binding =
      accepted(site.program.bind(site.program.default_config(), small.dims, site.device.properties));
  BufferPool pool(site.context, site.kernels, [] {});
  BufferSet set = pool.acquire(accepted(site.program.buffers(binding)));
  const ExpectedOutputs by_host = reference_by_host(small)->run(kSeed, set);
  const ExpectedOutputs by_kernel = reference_by_kernel(small, modules_at(site, small, modules))->run(kSeed, set);
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!by_host[i]) continue;
    const BufferPlan& plan = set.plans()[i];
    const SpecProgram::Limits limits = site.program.tolerance(plan.name, binding);
    const auto difference =
        compare(site, plan, by_kernel[i]->data(), by_host[i]->data(), limits, poison_bits(plan.dtype, kSeed, 0));
    if (difference.rejection)
      throw Rejected(Reason::wrong_result, "the reference kernel disagrees with the host reference at check_dims: " +
                                               difference.rejection->message);
  }
}

}  // namespace kerntune::cuda
