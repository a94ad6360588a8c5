// SPDX-License-Identifier: Apache-2.0
#include "engine/static_filter.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "spec/launch_limits.hpp"

namespace kerntune {
namespace {

/// Registers are allocated per warp in units of this many (compute capability 3.0 and newer).
constexpr std::int64_t kRegisterUnit = 256;

tl::unexpected<Rejection> over_limit(std::string message) {
  return tl::unexpected(Rejection{Reason::device_limit, std::move(message)});
}

std::int64_t product(const std::array<std::uint32_t, 3>& v) { return std::int64_t{v[0]} * v[1] * v[2]; }

tl::expected<void, Rejection> check_limits(const LaunchPlan& launch, const DeviceProperties& device) {
  const auto why = beyond_limits(launch, device);
  if (why) return over_limit(fmt::format("{}: {}", launch.entry, *why));
  return {};
}

std::string text_of(const ArgPlan& arg) {
  return fmt::format(" {}:{}+{}:{:02x}", static_cast<int>(arg.kind), arg.buffer, arg.offset_bytes,
                     fmt::join(arg.scalar, ""));
}

/// Fills the launches and the other work of `view`.
tl::expected<void, Rejection> plan_steps(const TuningContext& context, const search::Config& config, StaticView& view) {
  const SpecProgram& program = *context.program;
  const auto buffers = program.buffers(view.binding);
  if (!buffers) return tl::unexpected(buffers.error());
  for (const BufferPlan& buffer : *buffers)
    view.other_work += fmt::format("|buffer {} {}", buffer.bytes, buffer.alignment);
  for (std::size_t i = 0; i < program.spec().steps.size(); ++i) {
    const auto runs = program.step_runs(i, view.binding);
    if (!runs) return tl::unexpected(runs.error());
    if (!*runs) continue;
    if (program.needs_facts(i)) {  // what it comes to is known only once it is compiled
      view.other_work += fmt::format("|step {} of {}", i, program.space().text(config));
      const auto known = program.known_launch(i, view.binding);
      if (!known) return tl::unexpected(known.error());
      if (auto ok = check_limits(*known, context.device.properties); !ok) return tl::unexpected(ok.error());
      continue;
    }
    auto step = program.step(i, view.binding, *buffers, {});
    if (!step) return tl::unexpected(step.error());
    view.other_work += fmt::format("|step {}", i);
    if (const auto* memset = std::get_if<MemsetPlan>(&*step))
      view.other_work +=
          fmt::format(" memset {}+{} {} {}", memset->buffer, memset->offset_bytes, memset->bytes, memset->byte);
    if (auto* launch = std::get_if<LaunchPlan>(&*step)) {
      if (auto ok = check_limits(*launch, context.device.properties); !ok) return tl::unexpected(ok.error());
      view.launches.push_back(std::move(*launch));
    }
  }
  const auto symbols = program.symbols(view.binding, *buffers);
  if (!symbols) return tl::unexpected(symbols.error());
  for (const auto& symbol : *symbols)
    view.other_work += fmt::format("|symbol {}{}", symbol.symbol, text_of(symbol.value));
  return {};
}

const EntryFacts* facts_of(const CompiledModule& module, const std::string& entry) {
  const auto found = module.entries.find(entry);
  return found == module.entries.end() ? nullptr : &found->second;
}

}  // namespace

tl::expected<StaticView, Rejection> static_filter(const TuningContext& context, const search::Config& config,
                                                  const Dims& dims) {
  const SpecProgram& program = *context.program;
  auto binding = program.bind(config, dims, context.device.properties);
  if (!binding) return tl::unexpected(binding.error());
  if (context.device.kind == DeviceKind::replay) return StaticView{std::move(*binding), {}, {}, {}};
  if (auto ok = program.applicable(*binding); !ok) return tl::unexpected(ok.error());
  StaticView view{std::move(*binding), {}, {}, {}};
  if (!context.compiles()) return view;
  if (auto ok = plan_steps(context, config, view); !ok) return tl::unexpected(ok.error());
  auto compile = program.compile_plan(view.binding);
  if (!compile) return tl::unexpected(compile.error());
  view.compile = std::move(*compile);
  if (auto why = beyond_limits(view.compile, context.device.properties)) return over_limit(std::move(*why));
  return view;
}

tl::expected<void, Rejection> check_compiled(const TuningContext& context, const StaticView& view,
                                             const CompiledModule& module) {
  const DeviceProperties& device = context.device.properties;
  for (const LaunchPlan& launch : view.launches) {
    const EntryFacts* facts = facts_of(module, launch.entry);
    if (facts == nullptr) continue;
    const std::int64_t warps =
        (product(launch.block) + device.warp_size - 1) / std::max<std::int64_t>(device.warp_size, 1);
    const std::int64_t per_warp = (facts->regs * device.warp_size + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
    if (warps * per_warp > device.registers_per_block) {
      return over_limit(fmt::format("{}: {} threads of {} registers need {}; the device has {} per block", launch.entry,
                                    product(launch.block), facts->regs, warps * per_warp, device.registers_per_block));
    }
    const std::int64_t shared = facts->static_shared_bytes + launch.shared_bytes;
    if (shared > device.shared_per_block_optin) {
      return over_limit(fmt::format("{}: {} bytes of shared memory; the device allows {} per block", launch.entry,
                                    shared, device.shared_per_block_optin));
    }
  }
  return {};
}

Facts compiled_facts(const CompiledModule& module) {
  Facts facts;
  for (const auto& [name, entry] : module.entries) {  // of a pipeline: the hungriest kernel's
    facts["regs"] = std::max(facts["regs"], static_cast<double>(entry.regs));
    facts["spill_bytes"] =
        std::max(facts["spill_bytes"], static_cast<double>(entry.spill_store_bytes + entry.spill_load_bytes));
    facts["static_shared_bytes"] =
        std::max(facts["static_shared_bytes"], static_cast<double>(entry.static_shared_bytes));
  }
  return facts;
}

std::string binary_signature(const StaticView& view, const CompiledModule& module) {
  std::string text = module.cubin_digest + view.other_work;
  for (const LaunchPlan& l : view.launches) {
    text += fmt::format("|{} {} {} {} {} {} {}", l.entry, fmt::join(l.grid, "x"), fmt::join(l.block, "x"),
                        fmt::join(l.cluster, "x"), l.shared_bytes, l.carveout, l.cooperative);
    for (const ArgPlan& arg : l.args) text += text_of(arg);
  }
  return text;
}

}  // namespace kerntune
