// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "spec/spec_compiler.hpp"
#include "spec/words.hpp"

namespace kerntune {
namespace {

// The expression that reads the parameter with this role: its name; empty if there is none.
ExprText param_with(const KernelSpec& spec, Role role) {
  const auto has_role = [&](const ParamSpec& param) { return param.role == role; };
  const auto found = std::find_if(spec.params.begin(), spec.params.end(), has_role);
  return found == spec.params.end() ? ExprText{} : found->name;
}

void fill(const KernelSpec& spec, ExprText& expression, Role role) {
  if (expression.empty()) expression = param_with(spec, role);
}

void fill(const KernelSpec& spec, std::array<ExprText, 3>& expressions, const std::array<Role, 3>& roles) {
  for (std::size_t i = 0; i < expressions.size(); ++i) fill(spec, expressions[i], roles[i]);
}

}  // namespace

void fill_step_roles(const KernelSpec& spec, LaunchStep& step) {
  fill(spec, step.grid, {Role::grid_x, Role::grid_y, Role::grid_z});
  fill(spec, step.block, {Role::block_x, Role::block_y, Role::block_z});
  fill(spec, step.cluster, {Role::cluster_x, Role::cluster_y, Role::cluster_z});
  fill(spec, step.shared_bytes, Role::dynamic_shared);
  fill(spec, step.carveout, Role::carveout);
  fill(spec, step.cooperative, Role::cooperative);
}

void fill_code_roles(const KernelSpec& spec, SourceCode& code) {
  fill(spec, code.register_cap, Role::register_cap);
  fill(spec, code.min_blocks_per_sm, Role::min_blocks_per_sm);
}

bool mentions(std::string_view text, std::string_view name) noexcept {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool starts = at == 0 || !is_word(text[at - 1]);
    if (starts && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

}  // namespace kerntune
