// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include <kerntune/core/errors.hpp>

#include "spec/kernel_name.hpp"
#include "spec/source_files.hpp"
#include "spec/spec_compiler.hpp"
#include "spec/spec_json.hpp"
#include "spec/t1_file.hpp"

namespace kerntune {
namespace {

constexpr std::array<std::string_view, 3> kAxes{"X", "Y", "Z"};
constexpr std::array<std::string_view, 3> kGridDivs{"GridDivX", "GridDivY", "GridDivZ"};
constexpr std::array<std::string_view, 3> kBlockNames{"block_size_x", "block_size_y", "block_size_z"};
constexpr std::array<std::string_view, 3> kGridNames{"grid_size_x", "grid_size_y", "grid_size_z"};
constexpr std::array<Role, 3> kBlockRoles{Role::block_x, Role::block_y, Role::block_z};

std::optional<JsonCursor> present(const JsonCursor& object, std::string_view member) {
  const auto found = object.find(member);
  return found && !found->is_null() ? found : std::nullopt;
}

std::optional<JsonCursor> present(const std::optional<JsonCursor>& object, std::string_view member) {
  return object ? present(*object, member) : std::nullopt;
}

ParamSpec* find_param(KernelSpec& spec, std::string_view name) {
  const auto found =
      std::find_if(spec.params.begin(), spec.params.end(), [&](const auto& p) { return p.name == name; });
  return found == spec.params.end() ? nullptr : &*found;
}

Dim single_batch() { return {"batch", 1, true, 1, 1}; }

std::string text_or(const std::optional<JsonCursor>& value, std::string fallback) {
  return value ? value->text() : std::move(fallback);
}

std::string name_from(const JsonCursor& root, const JsonCursor& specification) {
  return as_kernel_name(
      text_or(present(present(root, "General"), "BenchmarkName"), specification.at("KernelName").text()));
}

// "LocalSize": {"X": "block_size_x", ...}: a parameter's name gives it the role, anything else is an expression.
// Without the member, Kernel Tuner's parameter names decide.
void read_block(const T1Kernel& kernel, KernelSpec& spec, LaunchStep& step) {
  const auto local = present(kernel.specification, "LocalSize");
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    const auto given = present(local, kAxes[axis]);
    const std::string text = given ? read_expression(*given) : std::string(kBlockNames[axis]);
    ParamSpec* param = find_param(spec, text);
    if (param != nullptr && param->role == Role::none) {
      param->role = kBlockRoles[axis];
    } else if (given) {
      step.block[axis] = t1_expression(text, kernel, spec);
    }
  }
}

ExprText block_extent(const KernelSpec& spec, const LaunchStep& step, std::size_t axis) {
  if (!step.block[axis].empty()) return step.block[axis];
  for (const ParamSpec& param : spec.params)
    if (param.role == kBlockRoles[axis]) return param.name;
  return "";
}

// What the grid divides the problem by: the product of GridDiv's entries, or the block as Kernel Tuner does without
// them.
ExprText divisor(const T1Kernel& kernel, const KernelSpec& spec, const LaunchStep& step, std::size_t axis) {
  const auto given = present(kernel.specification, kGridDivs[axis]);
  if (!given || given->size() == 0) return block_extent(spec, step, axis);
  ExprText product;
  for (const ExprText& factor : read_expressions(*given))
    product += fmt::format("{}({})", product.empty() ? "" : " * ", t1_expression(factor, kernel, spec));
  return product;
}

ExprText divided(const ExprText& size, const ExprText& divisor) {
  return divisor.empty() ? size : fmt::format("ceil_div({}, {})", size, divisor);
}

bool has_grid_divs(const JsonCursor& specification) {
  return std::any_of(kGridDivs.begin(), kGridDivs.end(),
                     [&](auto name) { return present(specification, name).has_value(); });
}

// Kernel Tuner divides ProblemSize by GridDiv and ignores GlobalSize; KTT knows GlobalSize only, in blocks (CUDA) or
// threads (OpenCL). GridDiv therefore says whose file it is.
void read_grid(const T1Kernel& kernel, const KernelSpec& spec, LaunchStep& step) {
  const auto global = present(kernel.specification, "GlobalSize");
  const bool by_problem = !kernel.problem_size.empty() && (has_grid_divs(kernel.specification) || !global);
  if (by_problem) {
    for (std::size_t axis = 0; axis < std::min(kernel.problem_size.size(), kAxes.size()); ++axis)
      step.grid[axis] = divided(kernel.problem_size[axis], divisor(kernel, spec, step, axis));
    return;
  }
  if (!global) throw UnsupportedT1("neither ProblemSize nor GlobalSize says how large the grid is");
  const bool in_threads = text_or(present(kernel.specification, "GlobalSizeType"), "CUDA") != "CUDA";
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    const auto given = present(global, kAxes[axis]);
    if (!given) continue;
    const ExprText size = t1_expression(read_expression(*given), kernel, spec);
    step.grid[axis] = in_threads ? divided(size, block_extent(spec, step, axis)) : size;
  }
}

void read_launch(const T1Kernel& kernel, KernelSpec& spec, LaunchStep& step) {
  step.entry = kernel.specification.at("KernelName").text();
  read_block(kernel, spec, step);
  if (const auto block = present(kernel.extension, "block")) step.block = read_triple(*block);
  read_grid(kernel, spec, step);
  if (const auto grid = present(kernel.extension, "grid")) step.grid = read_triple(*grid);
  if (const auto bytes = present(kernel.specification, "SharedMemory"))
    if (!bytes->is_number() || bytes->number() != 0) step.shared_bytes = read_expression(*bytes);
  read_t1_arguments(kernel, spec, step);
  if (const auto bytes = present(kernel.extension, "shared_bytes")) step.shared_bytes = read_expression(*bytes);
}

// Kernel Tuner's macros: every parameter, kernel_tuner, and block and grid sizes where the source mentions them.
void add_defines(const KernelSpec& spec, const LaunchStep& step, SourceCode& code) {
  for (const ParamSpec& param : spec.params) code.defines.push_back({param.name, param.name});
  code.defines.push_back({"kernel_tuner", "1"});
  const auto mentioned = [&](std::string_view name) {
    const auto is_param = [&](const ParamSpec& param) { return param.name == name; };
    return mentions(code.text, name) && std::none_of(spec.params.begin(), spec.params.end(), is_param);
  };
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    const ExprText block = block_extent(spec, step, axis);
    if (mentioned(kBlockNames[axis]))
      code.defines.push_back({std::string(kBlockNames[axis]), block.empty() ? "1" : block});
    if (mentioned(kGridNames[axis]))
      code.defines.push_back({std::string(kGridNames[axis]), step.grid[axis].empty() ? "1" : step.grid[axis]});
  }
}

void read_code(const T1Kernel& kernel, SourceCode& code, const std::string& folder) {
  code.file = kernel.specification.at("KernelFile").text();
  if (const auto options = present(kernel.specification, "CompilerOptions"))
    for (const JsonCursor& option : options->elements()) code.options.push_back(option.text());
  try {
    load_source(code, folder);
  } catch (const Error& error) {
    code.unavailable = error.what();
  }
}

void read_kernel(const T1Kernel& kernel, KernelSpec& spec, const std::string& folder) {
  const std::string language = text_or(present(kernel.specification, "Language"), "CUDA");
  if (language != "CUDA") throw UnsupportedT1(fmt::format("its language is {}, and kerntune compiles CUDA", language));
  SourceCode code;
  read_code(kernel, code, folder);
  LaunchStep step;
  read_launch(kernel, spec, step);
  add_defines(spec, step, code);
  spec.code = std::move(code);
  spec.steps.emplace_back(std::move(step));
}

void read_default_overrides(const JsonCursor& values, KernelSpec& spec) {
  for (const auto& [name, value] : values.members()) {
    ParamSpec* param = find_param(spec, name);
    if (param == nullptr) value.fail("no parameter has this name");
    param->default_value = value.literal();
  }
}

void read_roles(const JsonCursor& roles, KernelSpec& spec) {
  for (const auto& [name, role] : roles.members()) {
    ParamSpec* param = find_param(spec, name);
    if (param == nullptr) role.fail("no parameter has this name");
    param->role = read_role(role);
  }
}

// What T1 has no words for: sizes and their batch, references, tolerances, work.
void read_extension(const JsonCursor& extension, KernelSpec& spec, const std::string& folder) {
  extension.only({"name", "revision", "summary", "dims", "derived", "applicability", "default", "roles", "problem_size",
                  "grid", "block", "shared_bytes", "arguments", "reference", "tolerances", "work"});
  spec.name = text_or(present(extension, "name"), spec.name);
  spec.revision = text_or(present(extension, "revision"), "");
  spec.summary = text_or(present(extension, "summary"), "");
  if (const auto dims = present(extension, "dims")) {
    spec.dims.clear();
    for (const JsonCursor& dim : dims->elements()) spec.dims.push_back(read_dim(dim));
    if (std::none_of(spec.dims.begin(), spec.dims.end(), [](const Dim& dim) { return dim.batch; }))
      spec.dims.push_back(single_batch());
  }
  if (const auto all = present(extension, "derived"))
    for (const JsonCursor& derived : all->elements()) spec.derived.push_back(read_derived(derived));
  if (const auto all = present(extension, "applicability")) spec.applicability = read_expressions(*all);
  if (const auto roles = present(extension, "roles")) read_roles(*roles, spec);
  if (const auto reference = present(extension, "reference")) {
    spec.reference = read_reference(*reference);
    if (spec.reference.kernel) load_source(spec.reference.kernel->code, folder);
  }
  if (const auto all = present(extension, "tolerances"))
    for (const JsonCursor& tolerance : all->elements()) spec.tolerances.push_back(read_tolerance(tolerance));
  if (const auto work = present(extension, "work")) spec.work = read_work(*work);
}

std::vector<ExprText> read_problem_size(const JsonCursor& specification, const std::optional<JsonCursor>& extension) {
  if (const auto given = present(extension, "problem_size")) return read_expressions(*given);
  const auto given = present(specification, "ProblemSize");
  if (!given) return {};
  return given->is_array() ? read_expressions(*given) : std::vector<ExprText>{read_expression(*given)};
}

// Leaves the space: nothing of the kernel can be launched, and half of it would mislead.
void drop_kernel(KernelSpec& spec, const std::string& reason) {
  SourceCode code;
  code.unavailable = reason;
  spec.code = std::move(code);
  spec.steps.clear();
  spec.symbols.clear();
  spec.buffers.clear();
  spec.tolerances.clear();
  spec.reference = {};
}

}  // namespace

bool is_t1(const JsonCursor& root) {
  return root.is_object() && root.find("ConfigurationSpace") && root.find("KernelSpecification");
}

bool is_definition(const JsonCursor& root) { return root.is_object() && root.find("name") && root.find("params"); }

KernelSpec read_t1(const JsonCursor& root, const std::string& folder) {
  const JsonCursor space = root.at("ConfigurationSpace");
  const JsonCursor specification = root.at("KernelSpecification");
  const auto extension = root.find("kerntune");
  KernelSpec spec;
  spec.name = name_from(root, specification);
  spec.dims = {single_batch()};
  spec.params = read_t1_params(space);
  spec.constraints = read_t1_conditions(space);
  if (extension) read_extension(*extension, spec, folder);
  try {
    read_kernel({specification, extension, read_problem_size(specification, extension)}, spec, folder);
  } catch (const UnsupportedT1& error) {
    drop_kernel(spec, error.what());
  }
  const auto defaults = present(extension, "default");
  if (defaults) read_default_overrides(*defaults, spec);
  if (!defaults) repair_defaults(spec);
  return spec;
}

KernelSpec read_definition(const JsonCursor& root) {
  KernelSpec spec;
  spec.name = as_kernel_name(root.at("name").text());
  spec.dims = {single_batch()};
  for (const auto& [name, values] : root.at("params").members()) {
    ParamSpec param;
    param.name = name;
    for (const JsonCursor& value : values.elements()) param.values.push_back(value.literal());
    if (param.values.empty()) values.fail("expected at least one value");
    param.default_value = param.values.front();
    spec.params.push_back(std::move(param));
  }
  if (const auto constraints = root.find("constraints")) spec.constraints = read_expressions(*constraints);
  drop_kernel(spec, "it is a space definition without a kernel");
  repair_defaults(spec);
  return spec;
}

}  // namespace kerntune
