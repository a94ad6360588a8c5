// SPDX-License-Identifier: Apache-2.0
#include "preparation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kerntune::cuda {
namespace {

struct Entry {
  std::shared_ptr<LoadedModule> module;
  CUfunction function = nullptr;
  EntryFacts facts;
};

Entry find_entry(ModuleCache& modules, const std::string& name, std::span<const CompiledModule> compiled) {
  for (const CompiledModule& module : compiled) {
    const auto at = module.entries.find(name);
    if (at == module.entries.end()) continue;
    Entry entry{modules.load(module), nullptr, at->second};
    entry.function = entry.module->function(entry.facts.lowered_name);
    return entry;
  }
  throw Rejected(Reason::internal_error,
                 fmt::format("prepare: the configuration launches '{}', which none of its {} compiled modules holds",
                             name, compiled.size()));
}

bool same_geometry(const LaunchPlan& a, const LaunchPlan& b) {
  return a.entry == b.entry && a.grid == b.grid && a.block == b.block && a.cluster == b.cluster &&
         a.shared_bytes == b.shared_bytes && a.carveout == b.carveout && a.cooperative == b.cooperative;
}

/// Collects the facts of a configuration from its launch steps. Geometry facts are those of the step with most threads.
class FactSheet {
 public:
  void add(const LaunchFacts& launch, const EntryFacts& entry, const LaunchPlan& plan) {
    raise("regs", static_cast<double>(launch.kernel.regs));
    raise("spill_bytes", static_cast<double>(entry.spill_store_bytes + entry.spill_load_bytes));
    raise("local_bytes", static_cast<double>(launch.local_bytes));
    raise("static_shared_bytes", static_cast<double>(launch.static_shared_bytes));
    raise("dynamic_shared_bytes", plan.shared_bytes);
    const double threads = launch.threads_per_block * launch.blocks;
    if (threads <= most_threads_) return;
    most_threads_ = threads;
    facts_["threads_per_block"] = launch.threads_per_block;
    facts_["blocks"] = launch.blocks;
    facts_["blocks_per_sm"] = static_cast<double>(launch.kernel.blocks_per_sm);
    facts_["occupancy"] = launch.occupancy;
    facts_["waves"] = launch.waves;
  }
  Facts take() { return std::move(facts_); }

 private:
  void raise(const std::string& name, double value) {
    const auto [at, is_new] = facts_.try_emplace(name, value);
    at->second = std::max(at->second, value);
  }

  Facts facts_;
  double most_threads_ = 0;
};

class Preparation {
 public:
  Preparation(const PreparationSite& site, const search::Config& config, std::span<const CompiledModule> compiled)
      : site_(site),
        config_(config),
        compiled_(compiled),
        binding_(accepted(site.program.bind(config, site.dims, site.device.properties))) {}

  std::unique_ptr<CudaPrepared> run() {
    accepted(site_.program.applicable(binding_));
    prepared_ =
        std::make_unique<CudaPrepared>(site_.context, site_.buffers.acquire(accepted(site_.program.buffers(binding_))));
    if (site_.program.spec().is_source()) {
      add_steps();
      add_symbols();
      prepared_->fact_map = facts_.take();
    } else {
      prepare_callable();
    }
    for (const BufferPlan& plan : prepared_->buffers.plans())
      prepared_->tolerances.push_back(site_.program.tolerance(plan.name, binding_));
    return std::move(prepared_);
  }

 private:
  void add_steps() {
    const std::vector<Step>& steps = site_.program.spec().steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!accepted(site_.program.step_runs(i, binding_))) continue;
      if (std::holds_alternative<LaunchStep>(steps[i]))
        add_launch(i);
      else
        prepared_->steps.add(MemsetRun(site_.context, std::get<MemsetPlan>(plan_step(i, {})), prepared_->buffers));
    }
  }

  StepPlan plan_step(std::size_t step, const KernelFacts& facts) {
    return accepted(site_.program.step(step, binding_, prepared_->buffers.plans(), facts));
  }

  /// Geometry may depend on the kernel's registers and on blocks_per_sm, and blocks_per_sm on the geometry: asked in
  /// turn until they agree.
  void add_launch(std::size_t step) {
    const bool needs_facts = site_.program.needs_facts(step);
    // The facts that the name does not depend on are not known before the name is.
    auto plan = std::get<LaunchPlan>(plan_step(step, needs_facts ? KernelFacts{1, 1} : KernelFacts{}));
    const Entry entry = find_entry(site_.modules, plan.entry, compiled_);
    LaunchFacts facts;
    if (needs_facts) {
      plan = std::get<LaunchPlan>(plan_step(step, {registers_of(site_.context, entry.function), 1}));
      facts = settle(step, entry.function, plan);
    } else {
      facts = inspect(site_.context, entry.function, plan, site_.device.properties);
    }
    facts_.add(facts, entry.facts, plan);
    prepared_->steps.add(
        KernelLaunch(site_.context, entry.module, entry.function, std::move(plan), prepared_->buffers));
    prepared_->modules.push_back(entry.module);
  }

  LaunchFacts settle(std::size_t step, CUfunction function, LaunchPlan& plan) {
    constexpr int kTries = 5;
    for (int i = 0; i < kTries; ++i) {
      const LaunchFacts facts = inspect(site_.context, function, plan, site_.device.properties);
      auto next = std::get<LaunchPlan>(plan_step(step, facts.kernel));
      if (same_geometry(plan, next)) return facts;
      plan = std::move(next);
    }
    throw Rejected(Reason::device_limit,
                   fmt::format("launch '{}': its geometry and blocks_per_sm keep changing each other", plan.entry));
  }

  void add_symbols() {
    for (auto& plan : accepted(site_.program.symbols(binding_, prepared_->buffers.plans()))) {
      SymbolCopy copy{0, plan.value, 0, plan.symbol};
      const LoadedModule::Global global = find_global(plan.symbol);
      copy.target = global.address;
      copy.bytes = bytes_of(plan.value);
      if (copy.bytes > global.bytes)
        throw Rejected(Reason::launch_error, fmt::format("set symbol '{}': the value has {} bytes, the symbol {}",
                                                         plan.symbol, copy.bytes, global.bytes));
      prepared_->symbols.push_back(std::move(copy));
    }
  }

  std::uint64_t bytes_of(const ArgPlan& value) const {
    if (value.kind == ArgPlan::Kind::scalar) return value.scalar_bytes;
    return prepared_->buffers.plans()[value.buffer].bytes - value.offset_bytes;
  }

  LoadedModule::Global find_global(const std::string& symbol) {
    if (prepared_->modules.empty())
      throw Rejected(Reason::internal_error, fmt::format("set symbol '{}': no kernel runs", symbol));
    return prepared_->modules.front()->global(symbol);
  }

  void prepare_callable() {
    if (site_.plugin == nullptr)
      throw Rejected(Reason::internal_error,
                     fmt::format("prepare '{}': a callable kernel needs its plugin", site_.program.spec().name));
    const std::vector<BoundBuffer> bound = prepared_->buffers.bound();
    prepared_->callable.emplace(accepted(site_.plugin->prepare(
        {DeviceKind::cuda, site_.context.ordinal(), &site_.program.spec(), &site_.dims, &config_, bound})));
  }

  const PreparationSite& site_;
  const search::Config& config_;
  std::span<const CompiledModule> compiled_;
  Binding binding_;
  std::unique_ptr<CudaPrepared> prepared_;
  FactSheet facts_;
};

}  // namespace

std::unique_ptr<CudaPrepared> prepare(const PreparationSite& site, const search::Config& config,
                                      std::span<const CompiledModule> compiled) {
  return Preparation(site, config, compiled).run();
}

KernelLaunch launch_of(Context& context, ModuleCache& modules, const LaunchPlan& plan, const BufferSet& buffers,
                       std::span<const CompiledModule> compiled) {
  Entry entry = find_entry(modules, plan.entry, compiled);
  return {context, std::move(entry.module), entry.function, plan, buffers};
}

}  // namespace kerntune::cuda
