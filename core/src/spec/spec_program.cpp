// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/spec_program.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <kerntune/core/errors.hpp>

#include "spec/nearest_name.hpp"
#include "spec/plans.hpp"

namespace kerntune {
namespace {

constexpr std::array<std::string_view, 14> kPropertyNames{"sm_count",
                                                          "max_threads_per_block",
                                                          "max_threads_per_sm",
                                                          "max_blocks_per_sm",
                                                          "shared_per_block",
                                                          "shared_per_block_optin",
                                                          "shared_per_sm",
                                                          "registers_per_block",
                                                          "registers_per_sm",
                                                          "l2_bytes",
                                                          "warp_size",
                                                          "compute_capability",
                                                          "is_cuda",
                                                          "cpu_cores"};

std::array<std::int64_t, kPropertyNames.size()> property_values(const DeviceProperties& device) {
  return {device.sm_count,
          device.max_threads_per_block,
          device.max_threads_per_sm,
          device.max_blocks_per_sm,
          device.shared_per_block,
          device.shared_per_block_optin,
          device.shared_per_sm,
          device.registers_per_block,
          device.registers_per_sm,
          device.l2_bytes,
          device.warp_size,
          device.compute_capability,
          device.is_cuda,
          device.cpu_cores};
}

search::ParamSpace build_space(const KernelSpec& spec) {
  std::vector<search::Param> params;
  for (const ParamSpec& param : spec.params) params.push_back({param.name, param.values});
  try {
    return search::ParamSpace::build(std::move(params), spec.constraints);
  } catch (const search::SpaceError& error) {
    throw SpecError(fmt::format("kernel '{}': params: {}", spec.name, error.what()));
  }
}

}  // namespace

std::span<const std::string_view> device_property_names() noexcept { return kPropertyNames; }

struct SpecProgram::Compiled {
  explicit Compiled(KernelSpec given) : spec(std::move(given)), code(compile_spec(spec)), space(build_space(spec)) {}

  const KernelSpec spec;
  const CompiledSpec code;  // borrows spec
  const search::ParamSpace space;
};

SpecProgram::SpecProgram(KernelSpec spec) : compiled_(std::make_unique<const Compiled>(std::move(spec))) {}
SpecProgram::~SpecProgram() = default;

const KernelSpec& SpecProgram::spec() const noexcept { return compiled_->spec; }
const search::ParamSpace& SpecProgram::space() const noexcept { return compiled_->space; }

search::Config SpecProgram::default_config() const {
  search::Config config;
  for (const ParamSpec& param : spec().params) {
    const auto is_default = [&](const expr::Literal& value) {
      return expr::equal(expr::Value(value), expr::Value(param.default_value));
    };
    const auto found = std::find_if(param.values.begin(), param.values.end(), is_default);
    config.push_back(static_cast<std::uint32_t>(found - param.values.begin()));
  }
  return config;
}

Dims SpecProgram::complete_dims(const Dims& given) const {
  Dims complete;
  std::vector<std::string_view> known;
  for (const Dim& dim : spec().dims) {
    known.push_back(dim.name);
    const auto value = given.find(dim.name);
    complete[dim.name] = value == given.end() ? dim.default_value : value->second;
    if (complete[dim.name] < dim.min || complete[dim.name] > dim.max)
      throw UsageError(fmt::format("kernel '{}': {}={} is outside {} to {}, the sizes that it is declared for",
                                   spec().name, dim.name, complete[dim.name], dim.min, dim.max));
  }
  for (const auto& [name, value] : given)
    if (!complete.contains(name))
      throw UsageError(fmt::format("kernel '{}': unknown dim '{}'{}", spec().name, name, suggestion(name, known)));
  return complete;
}

void SpecProgram::bind_common(Binding& binding, const Dims& dims, const DeviceProperties& device) const {
  const CompiledSpec& code = compiled_->code;
  binding.values_.reserve(code.geometry.size());
  for (const Dim& dim : spec().dims) {
    const auto value = dims.find(dim.name);
    binding.values_.emplace_back(value == dims.end() ? dim.default_value : value->second);
  }
  for (const std::int64_t property : property_values(device)) binding.values_.emplace_back(property);
  for (const CompiledDerived& derived : code.common_derived)
    binding.values_.push_back(Evaluator(code, binding.values_).value(derived.value));
}

tl::expected<Binding, Rejection> SpecProgram::bind(const search::Config& config, const Dims& dims,
                                                   const DeviceProperties& device) const {
  const CompiledSpec& code = compiled_->code;
  bool fits = config.size() == spec().params.size();
  for (std::size_t i = 0; fits && i < config.size(); ++i) fits = config[i] < spec().params[i].values.size();
  if (!fits) return tl::unexpected(Rejection{Reason::internal_error, "a configuration of another space was given"});
  return rejections_of([&] {
    Binding binding;
    bind_common(binding, dims, device);
    for (std::size_t i = 0; i < config.size(); ++i) binding.values_.emplace_back(spec().params[i].values[config[i]]);
    for (const CompiledDerived& derived : code.derived)
      binding.values_.push_back(Evaluator(code, binding.values_).value(derived.value));
    return binding;
  });
}

Binding SpecProgram::bind_dims(const Dims& dims, const DeviceProperties& device) const {
  Binding binding;
  const auto bound = rejections_of([&] { bind_common(binding, dims, device); });
  if (!bound) throw SpecError(fmt::format("kernel '{}': {}", spec().name, bound.error().message));
  return binding;
}

tl::expected<void, Rejection> SpecProgram::applicable(const Binding& binding) const {
  return rejections_of([&] {
    const Evaluator evaluator(compiled_->code, binding.values());
    for (const PlacedExpression& condition : compiled_->code.applicability)
      if (!evaluator.truth(condition)) evaluator.reject(condition, "is false", Reason::not_applicable);
  });
}

tl::expected<std::vector<BufferPlan>, Rejection> SpecProgram::buffers(const Binding& binding) const {
  return rejections_of([&] {
    const Evaluator evaluator(compiled_->code, binding.values());
    std::vector<BufferPlan> plans;
    for (std::size_t i = 0; i < spec().buffers.size(); ++i)
      plans.push_back(plan_buffer(spec().buffers[i], compiled_->code.buffers[i], evaluator));
    return plans;
  });
}

tl::expected<CompilePlan, Rejection> SpecProgram::compile_plan(const Binding& binding) const {
  const CompiledSpec& code = compiled_->code;
  return rejections_of([&] { return plan_compile(code.code, code.steps, Evaluator(code, binding.values())); });
}

tl::expected<bool, Rejection> SpecProgram::step_runs(std::size_t step, const Binding& binding) const {
  const CompiledSpec& code = compiled_->code;
  return rejections_of([&] { return plan_runs(code.steps.at(step), Evaluator(code, binding.values())); });
}

tl::expected<StepPlan, Rejection> SpecProgram::step(std::size_t step, const Binding& binding,
                                                    std::span<const BufferPlan> buffers,
                                                    const KernelFacts& facts) const {
  const CompiledSpec& code = compiled_->code;
  std::vector<expr::Value> values(binding.values().begin(), binding.values().end());
  if (values.size() == code.layout.facts) {
    values.emplace_back(facts.regs);
    values.emplace_back(facts.blocks_per_sm);
  }
  return rejections_of([&] { return plan_step(code.steps.at(step), buffers, Evaluator(code, values)); });
}

bool SpecProgram::needs_facts(std::size_t step) const {
  const auto* launch = std::get_if<CompiledLaunch>(&compiled_->code.steps.at(step));
  return launch != nullptr && launch->reads_facts;
}

tl::expected<LaunchPlan, Rejection> SpecProgram::known_launch(std::size_t step, const Binding& binding) const {
  const CompiledSpec& code = compiled_->code;
  return rejections_of(
      [&] { return plan_known(std::get<CompiledLaunch>(code.steps.at(step)), Evaluator(code, binding.values())); });
}

tl::expected<std::vector<SpecProgram::SymbolPlan>, Rejection> SpecProgram::symbols(
    const Binding& binding, std::span<const BufferPlan> buffers) const {
  return rejections_of([&] {
    const Evaluator evaluator(compiled_->code, binding.values());
    std::vector<SymbolPlan> plans;
    for (const CompiledSymbol& symbol : compiled_->code.symbols)
      plans.push_back({symbol.symbol, plan_arg(symbol.value, buffers, evaluator)});
    return plans;
  });
}

tl::expected<CompilePlan, Rejection> SpecProgram::reference_compile_plan(const Binding& binding) const {
  const CompiledSpec& code = compiled_->code;
  return rejections_of([&] {
    return code.reference ? plan_compile(code.reference->code, code.reference->steps, Evaluator(code, binding.values()))
                          : CompilePlan{};
  });
}

tl::expected<std::vector<StepPlan>, Rejection> SpecProgram::reference_steps(const Binding& binding,
                                                                            std::span<const BufferPlan> buffers) const {
  const CompiledSpec& code = compiled_->code;
  return rejections_of([&] {
    const Evaluator evaluator(code, binding.values());
    std::vector<StepPlan> plans;
    if (!code.reference) return plans;
    for (const CompiledStep& step : code.reference->steps)
      if (plan_runs(step, evaluator)) plans.push_back(plan_step(step, buffers, evaluator));
    return plans;
  });
}

SpecProgram::Limits SpecProgram::tolerance(std::string_view buffer, const Binding& binding) const {
  const auto number = [&](const OptionalExpression& expression, double otherwise) {
    if (!expression) return otherwise;
    const Evaluator evaluator(compiled_->code, binding.values());
    const double value = evaluator.real(*expression);
    if (!(value >= 0)) evaluator.reject(*expression, fmt::format("is {}, expected a number from 0", value));
    return value;
  };
  for (const CompiledTolerance& tolerance : compiled_->code.tolerances) {
    if (tolerance.buffer != buffer) continue;
    const auto limits = rejections_of([&] {
      Limits derived;
      if (tolerance.reduction)
        derived = summation_limits(number(tolerance.reduction, 0), number(tolerance.magnitude, 1),
                                   tolerance.accumulator, tolerance.output);
      return Limits{number(tolerance.abs, derived.abs), number(tolerance.rel, derived.rel)};
    });
    if (!limits) throw SpecError(fmt::format("kernel '{}': {}", spec().name, limits.error().message));
    return *limits;
  }
  return {};
}

double unit_roundoff(DType type) noexcept {
  switch (type) {
    case DType::f64:
      return 0x1p-53;
    case DType::f32:
      return 0x1p-24;
    case DType::f16:
      return 0x1p-11;
    case DType::bf16:
      return 0x1p-8;
    default:
      return 0;  // integers do not round
  }
}

SpecProgram::Limits summation_limits(double terms, double magnitude, DType accumulator, DType output) noexcept {
  constexpr double kLambda = 4;
  const double u = unit_roundoff(accumulator);
  // The last rounding, to the output's type; none if the accumulator is the output.
  const double last = accumulator == output ? 0 : unit_roundoff(output);
  return {kLambda * terms * u * magnitude, kLambda * std::sqrt(terms) * u + last};
}

SpecProgram::WorkAmount SpecProgram::work(const Binding& binding) const {
  const auto amount = [&](const OptionalExpression& expression) -> std::optional<double> {
    if (!expression) return std::nullopt;
    const auto value = rejections_of([&] { return Evaluator(compiled_->code, binding.values()).real(*expression); });
    if (!value || !std::isfinite(*value) || *value < 0) return std::nullopt;
    return *value;
  };
  return {amount(compiled_->code.flop), amount(compiled_->code.bytes)};
}

}  // namespace kerntune
