// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "conformance_parts.hpp"
#include "host/host_device.hpp"
#include "representative_devices.hpp"
#include "spec/launch_limits.hpp"

namespace kerntune {
namespace {

/// Facts that a step may read before anything was compiled: one resident block of a kernel with 64 registers per
/// thread.
constexpr KernelFacts kAssumedFacts{.regs = 64, .blocks_per_sm = 1};

/// What the default configuration does at one batch on one device.
struct Outcome {
  enum class Kind { runs, not_applicable, broken } kind = Kind::runs;
  std::string message;
};

/// Evaluates every step that runs. The message names the step.
std::optional<std::string> broken_step(const SpecProgram& program, const Binding& binding,
                                       std::span<const BufferPlan> buffers, const DeviceProperties& device) {
  for (std::size_t i = 0; i < program.spec().steps.size(); ++i) {
    const auto runs = program.step_runs(i, binding);
    if (!runs) return fmt::format("step {}: {}", i, runs.error().message);
    if (!*runs) continue;
    const auto plan = program.step(i, binding, buffers, kAssumedFacts);
    if (!plan) return fmt::format("step {}: {}", i, plan.error().message);
    if (const auto* launch = std::get_if<LaunchPlan>(&*plan)) {
      if (auto why = beyond_limits(*launch, device)) return fmt::format("step {}: {}", i, *why);
    }
  }
  return std::nullopt;
}

Outcome try_default(const SpecProgram& program, const Dims& dims, const DeviceProperties& device) {
  const auto binding = program.bind(program.default_config(), dims, device);
  if (!binding) return {Outcome::Kind::broken, binding.error().message};
  if (const auto applies = program.applicable(*binding); !applies) {
    const bool is_false = applies.error().reason == Reason::not_applicable;
    return {is_false ? Outcome::Kind::not_applicable : Outcome::Kind::broken, applies.error().message};
  }
  const auto buffers = program.buffers(*binding);
  if (!buffers) return {Outcome::Kind::broken, buffers.error().message};
  if (auto why = broken_step(program, *binding, *buffers, device)) return {Outcome::Kind::broken, *why};
  if (program.spec().is_source()) {
    const auto plan = program.compile_plan(*binding);
    if (!plan) return {Outcome::Kind::broken, plan.error().message};
    if (auto why = beyond_limits(*plan, device)) return {Outcome::Kind::broken, *why};
  }
  if (const auto symbols = program.symbols(*binding, *buffers); !symbols)
    return {Outcome::Kind::broken, symbols.error().message};
  return {};
}

/// Counts over a sample of batches, with the first of each kind that is not right.
struct Tally {
  std::size_t run = 0, not_applicable = 0;
  std::int64_t first_not_applicable = 0;
  std::string why_not_applicable;
  std::optional<std::string> broken;
};

Tally tally_batches(const SpecProgram& program, const BatchSample& sample, const DeviceProperties& device) {
  Tally tally;
  Dims dims = program.complete_dims({});
  const std::string& batch_name = program.spec().batch_dim().name;
  for (const std::int64_t batch : sample.batches) {
    dims[batch_name] = batch;
    const Outcome outcome = try_default(program, dims, device);
    if (outcome.kind == Outcome::Kind::runs) {
      ++tally.run;
    } else if (outcome.kind == Outcome::Kind::not_applicable) {
      if (tally.not_applicable++ == 0) {
        tally.first_not_applicable = batch;
        tally.why_not_applicable = outcome.message;
      }
    } else if (!tally.broken) {
      tally.broken = fmt::format("at batch {}: {}", batch, outcome.message);
    }
  }
  return tally;
}

/// True if the default configuration runs on the device at every batch of the sample.
bool check_device(KernelChecks& checks, const BatchSample& sample, std::string_view device_name,
                  const DeviceProperties& device) {
  const std::string name = fmt::format("the default configuration runs at every batch on {}", device_name);
  const Tally tally = tally_batches(checks.program, sample, device);
  if (tally.broken) {
    checks.fail(name, *tally.broken);
  } else if (tally.run == 0) {
    checks.skip(name, fmt::format("not a device for this kernel: {}", tally.why_not_applicable));
  } else if (tally.not_applicable != 0) {
    checks.fail(name,
                fmt::format("at batch {}: {}; narrow the batch dim's range, or choose a default that applies to all of "
                            "it ({} of {} do not)",
                            tally.first_not_applicable, tally.why_not_applicable, tally.not_applicable, sample.text()));
  } else {
    checks.pass(name, fmt::format("applicability, buffers and launches evaluated at {}, other dims at their defaults",
                                  sample.text()));
  }
  return tally.run != 0;
}

/// Sizes of a dim that defaults tend to miss: the ends, and the neighbours of the usual one, which are often odd.
std::set<std::int64_t> other_sizes(const Dim& dim) {
  std::set<std::int64_t> sizes{dim.min, dim.max};
  if (dim.default_value > dim.min) sizes.insert(dim.default_value - 1);
  if (dim.default_value < dim.max) sizes.insert(dim.default_value + 1);
  return sizes;
}

/// Where the default configuration does not apply with one dim at another size than usual; the first such place.
std::optional<std::string> not_for_a_size(const SpecProgram& program, const DeviceProperties& device) {
  for (const Dim& dim : program.spec().dims) {
    if (dim.batch) continue;
    for (const std::int64_t size : other_sizes(dim)) {
      const auto binding = program.bind(program.default_config(), program.complete_dims({{dim.name, size}}), device);
      if (!binding) return fmt::format("at {}={}: {}", dim.name, size, binding.error().message);
      const auto applies = program.applicable(*binding);
      if (!applies) return fmt::format("at {}={}: {}", dim.name, size, applies.error().message);
    }
  }
  return std::nullopt;
}

/// The default is what a query answers for sizes that nobody tuned.
void check_sizes(KernelChecks& checks, std::string_view device_name, const DeviceProperties& device) {
  if (checks.spec().dims.size() == 1) return;
  const std::string name = fmt::format("the default configuration applies at other sizes on {}", device_name);
  if (const auto where = not_for_a_size(checks.program, device)) {
    checks.fail(name, *where + "; narrow the dim's range, or choose a default that applies to all of it");
  } else {
    checks.pass(name, "each dim at its ends and beside its usual size, the others as usual");
  }
}

bool runs_on_host(const KernelSpec& spec) {
  const auto* callable = std::get_if<CallableCode>(&spec.code);
  return callable != nullptr && callable->runs == CallableCode::Runs::host;
}

}  // namespace

void check_geometry(KernelChecks& checks) {
  const BatchSample sample =
      sample_batches(checks.spec().batch_dim(), checks.options.random_batches, checks.options.seed);
  const auto check = [&](std::string_view name, const DeviceProperties& device) {
    const bool runs = check_device(checks, sample, name, device);
    if (runs) check_sizes(checks, name, device);
    return runs;
  };
  bool anywhere = false;
  if (runs_on_host(checks.spec())) {
    anywhere = check("this host", host_device_info().properties);
  } else {
    for (const RepresentativeDevice& device : representative_devices()) {
      anywhere = check(device.name, device.properties) || anywhere;
    }
  }
  if (!anywhere) {
    checks.fail("the default configuration runs somewhere",
                "it runs at no batch on any device that was tried; see the reasons above");
  }
}

}  // namespace kerntune
