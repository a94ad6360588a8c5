// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <kerntune/search/rng.hpp>

#include "conformance_parts.hpp"
#include "host/host_buffers.hpp"
#include "host/host_device.hpp"
#include "measure/compare.hpp"

namespace kerntune {
namespace {

using Bytes = std::vector<unsigned char>;

bool is_output(const BufferPlan& plan) { return plan.role == BufferRole::out || plan.role == BufferRole::inout; }

std::string text_of(const Dims& dims) {
  std::string text;
  for (const auto& [name, value] : dims) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text;
}

/// One size at which a host callable is run: its reference's outputs, and runs of configurations.
class HostRuns {
 public:
  HostRuns(KernelChecks& checks, Dims dims)
      : checks_(checks), dims_(std::move(dims)), device_(host_device_info().properties) {}

  /// Empty, or why the reference failed for buffers of the sizes that `config` needs.
  std::string make_reference(const search::Config& config) {
    auto buffers = make_buffers(config);
    if (!buffers) return buffers.error().message;
    (*buffers)->reset_for_reference(checks_.options.seed);
    const auto bound = (*buffers)->bound();
    const auto done = checks_.kernel.reference({DeviceKind::host, 0, &checks_.spec(), &dims_, nullptr, bound});
    if (!done) return done.error().message;
    std::string damage = (*buffers)->damage(checks_.options.seed);
    expected_ = outputs(**buffers);
    expected_plans_ = (*buffers)->plans();
    return damage;
  }

  enum class Verdict { right, refused, wrong };
  struct Result {
    Verdict verdict = Verdict::right;
    const char* promise = "";  // the check that failed
    std::string message;
  };

  /// Prepares twice and launches each twice, from the same inputs; all four must agree, with each other bit for bit and
  /// with the reference within the tolerances, and touch nothing else.
  Result run(const search::Config& config) {
    auto buffers = make_buffers(config);
    if (!buffers) return refusal(buffers.error());
    std::optional<std::vector<Bytes>> first;
    for (int preparation = 0; preparation < 2; ++preparation) {
      const auto bound = (*buffers)->bound();
      auto prepared = checks_.kernel.prepare({DeviceKind::host, 0, &checks_.spec(), &dims_, &config, bound});
      if (!prepared) return refusal(prepared.error());
      for (int launch = 0; launch < 2; ++launch) {
        if (Result result = launch_once(*prepared, **buffers, first); result.verdict != Verdict::right) return result;
      }
    }
    return checks_.kernel.has_reference() ? compare_with_reference(config, **buffers) : check_written(**buffers);
  }

  const Dims& dims() const noexcept { return dims_; }

 private:
  tl::expected<std::unique_ptr<HostBuffers>, Rejection> make_buffers(const search::Config& config) const {
    const auto binding = checks_.program.bind(config, dims_, device_);
    if (!binding) return tl::unexpected(binding.error());
    if (const auto applies = checks_.program.applicable(*binding); !applies) return tl::unexpected(applies.error());
    auto plans = checks_.program.buffers(*binding);
    if (!plans) return tl::unexpected(plans.error());
    return std::make_unique<HostBuffers>(std::move(*plans));
  }

  static Result refusal(const Rejection& rejection) {
    const bool is_answer = rejection.reason == Reason::unsupported || rejection.reason == Reason::not_applicable;
    return {is_answer ? Verdict::refused : Verdict::wrong, "configurations launch", rejection.message};
  }

  Result launch_once(PreparedCallable& prepared, HostBuffers& buffers, std::optional<std::vector<Bytes>>& first) const {
    buffers.reset(checks_.options.seed);
    if (const auto launched = prepared.launch(nullptr); !launched) return refusal(launched.error());
    if (std::string damage = buffers.damage(checks_.options.seed); !damage.empty()) {
      return {Verdict::wrong, "launches write only their outputs", damage};
    }
    std::vector<Bytes> now = outputs(buffers);
    if (!first) first = now;
    if (*first != now)
      return {Verdict::wrong, "launches are repeatable", "another launch from the same inputs gave other outputs"};
    return {};
  }

  /// Without a reference a NaN's worth of poison is all that shows an output that was not written.
  static Result check_written(HostBuffers& buffers) {
    for (std::size_t i = 0; i < buffers.plans().size(); ++i) {
      const BufferPlan& plan = buffers.plans()[i];
      const bool is_real =
          plan.dtype == DType::f32 || plan.dtype == DType::f64 || plan.dtype == DType::f16 || plan.dtype == DType::bf16;
      std::uint64_t first = 0;
      if (plan.role != BufferRole::out || !is_real ||
          count_poison(plan.dtype, buffers.data(i), plan.count, buffers.poison(i), &first) == 0)
        continue;
      return {Verdict::wrong, "launches write all of their outputs",
              fmt::format("{}[{}] was not written", plan.name, first)};
    }
    return {};
  }

  Result compare_with_reference(const search::Config& config, HostBuffers& buffers) {
    if (!same_memory(expected_plans_, buffers.plans())) {  // sizes may depend on parameters
      if (std::string why = make_reference(config); !why.empty()) return {Verdict::wrong, "the reference runs", why};
    }
    const Binding binding = checks_.program.bind_dims(dims_, device_);
    std::size_t output = 0;
    for (std::size_t i = 0; i < buffers.plans().size(); ++i) {
      const BufferPlan& plan = buffers.plans()[i];
      if (!is_output(plan)) continue;
      const auto limits = checks_.program.tolerance(plan.name, binding);
      const OutputComparison comparison =
          compare_host(plan.dtype, buffers.data(i), expected_[output++].data(), plan.count, limits, buffers.poison(i));
      if (comparison.unwritten != 0 && plan.role == BufferRole::out)
        return {Verdict::wrong, "launches write all of their outputs", describe_unwritten(plan.name, comparison)};
      if (comparison.mismatches != 0)
        return {Verdict::wrong, "outputs agree with the reference", describe_mismatch(plan.name, comparison, limits)};
    }
    return {};
  }

  static std::vector<Bytes> outputs(HostBuffers& buffers) {
    std::vector<Bytes> out;
    for (std::size_t i = 0; i < buffers.plans().size(); ++i) {
      const BufferPlan& plan = buffers.plans()[i];
      if (is_output(plan)) out.emplace_back(buffers.data(i), buffers.data(i) + plan.bytes);
    }
    return out;
  }

  KernelChecks& checks_;
  Dims dims_;
  DeviceProperties device_;
  std::vector<Bytes> expected_;
  std::vector<BufferPlan> expected_plans_;
};

/// Bytes and flop of the default configuration at a size; nothing if it does not apply there.
struct Cost {
  double bytes = 0, flop = 0;
};
std::optional<Cost> cost_at(const SpecProgram& program, const Dims& dims, const DeviceProperties& device) {
  const auto binding = program.bind(program.default_config(), dims, device);
  if (!binding || !program.applicable(*binding)) return std::nullopt;
  const auto plans = program.buffers(*binding);
  if (!plans) return std::nullopt;
  Cost cost;
  for (const BufferPlan& plan : *plans) cost.bytes += static_cast<double>(plan.bytes);
  cost.flop = program.work(*binding).flop.value_or(0);
  return cost;
}

bool fits(const Cost& cost, const ConformanceOptions& options) {
  return cost.bytes <= static_cast<double>(options.max_bytes) && cost.flop <= options.max_flop;
}

/// The default sizes, halved (largest first, the batch too) until a check takes moments. Nothing if no such size
/// applies.
std::optional<Dims> affordable_dims(const KernelChecks& checks, const DeviceProperties& device) {
  Dims dims = checks.program.complete_dims({});
  for (int halvings = 0; halvings < 256; ++halvings) {
    const auto cost = cost_at(checks.program, dims, device);
    if (cost && fits(*cost, checks.options)) return dims;
    const Dim* largest = nullptr;
    for (const Dim& dim : checks.spec().dims) {
      const bool shrinks = dims[dim.name] / 2 >= std::max<std::int64_t>(dim.min, 1);
      if (shrinks && (largest == nullptr || dims[dim.name] > dims[largest->name])) largest = &dim;
    }
    if (largest == nullptr) return std::nullopt;
    dims[largest->name] /= 2;
  }
  return std::nullopt;
}

/// The affordable size, and the same at the smallest batch: a size that divides nothing.
std::vector<Dims> sizes_to_run(const KernelChecks& checks, const DeviceProperties& device) {
  std::vector<Dims> sizes;
  if (auto dims = affordable_dims(checks, device)) {
    sizes.push_back(*dims);
    Dims smallest = *dims;
    smallest[checks.spec().batch_dim().name] = checks.spec().batch_dim().min;
    if (smallest != *dims && cost_at(checks.program, smallest, device)) sizes.push_back(smallest);
  }
  return sizes;
}

/// The default first, then distinct random ones.
std::vector<search::Config> configs_to_run(const KernelChecks& checks) {
  std::vector<search::Config> configs{checks.program.default_config()};
  search::Rng rng(checks.options.seed);
  for (int i = 0; i < checks.options.random_configs; ++i) {
    const search::Config config = checks.program.space().sample(rng);
    if (std::ranges::find(configs, config) == configs.end()) configs.push_back(config);
  }
  return configs;
}

struct RunCounts {
  std::size_t right = 0, refused = 0;
};

/// Runs every configuration at one size. False if one broke a promise, which is then in the checks.
bool run_at(KernelChecks& checks, const Dims& dims, const std::vector<search::Config>& configs, RunCounts& counts) {
  HostRuns host(checks, dims);
  const std::string why = checks.kernel.has_reference() ? host.make_reference(configs.front()) : std::string();
  if (!why.empty()) {
    checks.fail("the reference runs", fmt::format("at {}: {}", text_of(dims), why));
    return false;
  }
  for (const search::Config& config : configs) {
    const HostRuns::Result result = host.run(config);
    const bool is_default = &config == &configs.front();
    const bool may_refuse = result.verdict == HostRuns::Verdict::refused && !is_default;
    if (result.verdict != HostRuns::Verdict::right && !may_refuse) {
      checks.fail(result.promise, fmt::format("{}{} at {}: {}", is_default ? "the default " : "",
                                              checks.program.space().text(config), text_of(dims), result.message));
      return false;
    }
    ++(may_refuse ? counts.refused : counts.right);
  }
  return true;
}

/// Promises kept by all runs are passes; the first run that breaks one ends the checks.
void run_all(KernelChecks& checks, const std::vector<Dims>& sizes) {
  const std::vector<search::Config> configs = configs_to_run(checks);
  RunCounts counts;
  for (const Dims& dims : sizes) {
    if (!run_at(checks, dims, configs, counts)) return;
  }
  const std::string what = fmt::format(
      "{} runs of {} configurations at {}{}; {} not applicable or unsupported", counts.right, configs.size(),
      text_of(sizes.front()), sizes.size() > 1 ? fmt::format(" and {}", text_of(sizes.back())) : "", counts.refused);
  for (const char* promise :
       {"configurations launch", "launches write only their outputs", "launches are repeatable"}) {
    checks.pass(promise, what);
  }
  if (checks.kernel.has_reference()) {
    checks.pass("outputs agree with the reference", what);
  } else {
    checks.skip("outputs agree with the reference", "there is no reference function");
  }
}

}  // namespace

void check_host_runs(KernelChecks& checks) {
  const auto* callable = std::get_if<CallableCode>(&checks.spec().code);
  if (callable == nullptr || callable->runs != CallableCode::Runs::host) {
    return checks.skip(
        "configurations launch",
        "needs a CUDA device: `kerntune run` and `kerntune tune` verify every configuration that they time");
  }
  if (!checks.program.space().contains(checks.program.default_config())) {
    return checks.skip("configurations launch", "the default configuration is not in the space");
  }
  const std::vector<Dims> sizes = sizes_to_run(checks, host_device_info().properties);
  if (sizes.empty()) {
    return checks.skip("configurations launch",
                       fmt::format("no size was found that applies and needs at most {} bytes and {:.0e} flop",
                                   checks.options.max_bytes, checks.options.max_flop));
  }
  run_all(checks, sizes);
}

}  // namespace kerntune
