// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/spec_program.hpp>

#include "spec/kernel_name.hpp"
#include "spec/literal_key.hpp"
#include "spec/spec_compiler.hpp"

namespace kerntune {
namespace {

constexpr std::string_view kRegs = "regs";
constexpr std::string_view kBlocksPerSm = "blocks_per_sm";

bool is_integer(const expr::Literal& value) noexcept {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<bool>(value);
}

std::int64_t smallest_for(Role role) noexcept {
  switch (role) {
    case Role::carveout:
      return -1;
    case Role::register_cap:
    case Role::min_blocks_per_sm:
    case Role::dynamic_shared:
    case Role::cooperative:
      return 0;
    default:
      return 1;
  }
}

std::string config_text(const KernelSpec& spec) {
  std::string text;
  for (const ParamSpec& param : spec.params)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", param.name, expr::to_text(param.default_value));
  return text;
}

}  // namespace

void SpecCompiler::check_names() const {
  if (!is_kernel_name(spec_.name))
    fail("name", "a kernel's name starts with a letter or '_' and has letters, digits, '_', '-' and '.', 128 at most");
  std::map<std::string, std::string, std::less<>> owners{{std::string(kRegs), "a fact of compiled kernels"},
                                                         {std::string(kBlocksPerSm), "a fact of compiled kernels"}};
  for (const std::string_view property : device_property_names()) owners.emplace(property, "a device property");
  const auto claim = [&](const std::string& name, const std::string& place, const char* owner) {
    const auto [found, is_new] = owners.emplace(name, owner);
    if (!is_new) fail(place, fmt::format("'{}' is already the name of {}", name, found->second));
  };
  for (std::size_t i = 0; i < spec_.dims.size(); ++i)
    claim(spec_.dims[i].name, fmt::format("dims[{}].name", i), "a dim");
  for (std::size_t i = 0; i < spec_.params.size(); ++i)
    claim(spec_.params[i].name, fmt::format("params[{}].name", i), "a parameter");
  for (std::size_t i = 0; i < spec_.derived.size(); ++i)
    claim(spec_.derived[i].name, fmt::format("derived[{}].name", i), "a derived value");
}

void SpecCompiler::check_dims() const {
  std::size_t batches = 0;
  for (std::size_t i = 0; i < spec_.dims.size(); ++i) {
    const Dim& dim = spec_.dims[i];
    batches += dim.batch ? 1 : 0;
    const std::string place = fmt::format("dims[{}]", i);
    if (dim.min < 0) fail(place, fmt::format("min is {}, and a size is not negative", dim.min));
    if (dim.batch && dim.min == 0) fail(place, "min is 0, and batches count from 1");
    if (dim.min > dim.max) fail(place, fmt::format("min {} is above max {}", dim.min, dim.max));
    if (dim.default_value < dim.min || dim.default_value > dim.max)
      fail(place, fmt::format("default {} is outside {} to {}", dim.default_value, dim.min, dim.max));
  }
  if (batches != 1) fail("dims", fmt::format("expected one dim with \"batch\": true, found {}", batches));
}

void SpecCompiler::check_params() const {
  for (std::size_t i = 0; i < spec_.params.size(); ++i) {
    const ParamSpec& param = spec_.params[i];
    const std::string place = fmt::format("params[{}]", i);
    if (param.values.empty()) fail(place + ".values", fmt::format("parameter '{}' has no values", param.name));
    const auto is_default = [&](const expr::Literal& v) {
      return expr::equal(expr::Value(v), expr::Value(param.default_value));
    };
    std::set<std::string> seen;
    for (std::size_t v = 0; v < param.values.size(); ++v)
      if (!seen.insert(literal_key(param.values[v])).second)
        fail(fmt::format("{}.values[{}]", place, v), fmt::format("{} is given twice", expr::to_text(param.values[v])));
    if (std::none_of(param.values.begin(), param.values.end(), is_default))
      fail(place + ".default",
           fmt::format("{} is not one of the values of '{}'", expr::to_text(param.default_value), param.name));
    check_role(i);
  }
}

void SpecCompiler::check_role(std::size_t index) const {
  const ParamSpec& param = spec_.params[index];
  if (param.role == Role::none || param.role == Role::precision) return;
  const std::string place = fmt::format("params[{}]", index);
  for (std::size_t i = 0; i < index; ++i)
    if (spec_.params[i].role == param.role)
      fail(place + ".role", fmt::format("'{}' is already the role of '{}'", name_of(param.role), spec_.params[i].name));
  const std::int64_t smallest = smallest_for(param.role);
  for (std::size_t i = 0; i < param.values.size(); ++i) {
    const expr::Value value(param.values[i]);
    if (!is_integer(param.values[i]) || value.integer() < smallest)
      fail(fmt::format("{}.values[{}]", place, i), fmt::format("role '{}' takes integers from {}, found {}",
                                                               name_of(param.role), smallest, expr::to_text(value)));
  }
}

void SpecCompiler::add_name(expr::Symbols& symbols, const std::string& name, std::string_view place) const {
  try {
    symbols.add(name);
  } catch (const expr::ExprError& error) {
    fail(place, error.what());
  }
}

void SpecCompiler::assign_slots() {
  for (std::size_t i = 0; i < spec_.dims.size(); ++i)
    add_name(out_.common, spec_.dims[i].name, fmt::format("dims[{}].name", i));
  out_.layout.properties = out_.common.size();
  for (const std::string_view property : device_property_names()) out_.common.add(property);
  out_.layout.common = out_.common.size();
  compile_derived();
  out_.layout.facts = out_.scope.size();
  out_.geometry = out_.scope;
  out_.geometry.add(kRegs);
  out_.geometry.add(kBlocksPerSm);
}

// A derived value that reads no parameter, directly or through others, can be used where no configuration is bound.
// Those get the slots before the parameters; a first pass finds them by compiling without the parameters' names.
void SpecCompiler::compile_derived() {
  std::vector<bool> is_common(spec_.derived.size());
  for (std::size_t i = 0; i < spec_.derived.size(); ++i) is_common[i] = compile_common_derived(i);
  out_.layout.params = out_.common.size();
  out_.scope = out_.common;
  for (std::size_t i = 0; i < spec_.params.size(); ++i)
    add_name(out_.scope, spec_.params[i].name, fmt::format("params[{}].name", i));
  out_.layout.derived = out_.scope.size();
  std::set<std::string_view> later;
  for (const Derived& derived : spec_.derived) later.insert(derived.name);
  for (std::size_t i = 0; i < spec_.derived.size(); ++i) {
    const std::string place = fmt::format("derived[{}]", i);
    const Derived& derived = spec_.derived[i];
    PlacedExpression value = expression(derived.value, place + ".value", out_.scope);
    for (const std::uint32_t slot : value.expression.slots())
      if (later.contains(out_.scope.name(slot)))
        fail(value.place, fmt::format("'{}' is used before it is defined", out_.scope.name(slot)));
    later.erase(derived.name);
    if (is_common[i]) continue;
    out_.derived.push_back({static_cast<std::uint32_t>(out_.scope.size()), std::move(value)});
    add_name(out_.scope, derived.name, place + ".name");
  }
}

bool SpecCompiler::compile_common_derived(std::size_t index) {
  const Derived& derived = spec_.derived[index];
  try {
    PlacedExpression value{expr::Expression::compile(derived.value, out_.common),
                           fmt::format("derived[{}].value", index)};
    const auto slot = static_cast<std::uint32_t>(out_.common.size());
    out_.common.add(derived.name);
    out_.common_derived.push_back({slot, std::move(value)});
    return true;
  } catch (const expr::ExprError&) {
    return false;  // reads a parameter, or is wrong: the second pass says which
  }
}

void SpecCompiler::check_constraints() const {
  expr::Symbols params;
  std::vector<expr::Value> defaults;
  for (const ParamSpec& param : spec_.params) {
    params.add(param.name);
    defaults.emplace_back(param.default_value);
  }
  for (std::size_t i = 0; i < spec_.constraints.size(); ++i) {
    const PlacedExpression constraint = expression(spec_.constraints[i], fmt::format("constraints[{}]", i), params);
    if (!spec_.launchable()) continue;  // nothing runs the default of a bare space
    const expr::Evaluation result = constraint.expression.evaluate(defaults);
    if (!result.ok()) fail(constraint.place, constraint.expression.explain(result, params, defaults));
    if (!result.value.truthy())
      fail(constraint.place, fmt::format("'{}' is false for the default configuration {}; change the defaults",
                                         spec_.constraints[i], config_text(spec_)));
  }
}

}  // namespace kerntune
