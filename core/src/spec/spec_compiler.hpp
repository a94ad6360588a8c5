// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "spec/compiled_spec.hpp"

namespace kerntune {

/// The steps of compile_spec. Each fails with SpecError naming the place.
class SpecCompiler {
 public:
  explicit SpecCompiler(const KernelSpec& spec) : spec_(spec) {}
  CompiledSpec compile();

  [[noreturn]] void fail(std::string_view place, std::string_view message) const;

 private:
  // spec_names.cpp: names are identifiers, unique, and get their slots
  void check_names() const;
  void check_dims() const;
  void check_params() const;
  void check_role(std::size_t param) const;
  void assign_slots();
  void add_name(expr::Symbols& symbols, const std::string& name, std::string_view place) const;
  void compile_derived();
  bool compile_common_derived(std::size_t index);
  void check_constraints() const;

  // spec_compiler.cpp
  PlacedExpression expression(const ExprText& text, std::string place, const expr::Symbols& scope) const;
  OptionalExpression optional(const ExprText& text, std::string place, const expr::Symbols& scope) const;
  std::vector<PlacedExpression> list(const std::vector<ExprText>& texts, const std::string& place,
                                     const expr::Symbols& scope) const;
  void compile_buffers();
  void check_fill(std::size_t buffer) const;
  CompiledCode compile_code(const SourceCode& code, const std::string& place, const expr::Symbols& scope) const;
  void compile_own_code();
  void compile_symbols();
  void compile_reference();
  void compile_tolerances();
  std::size_t buffer_index(const std::string& name, std::string_view place) const;

  // step_compiler.cpp
  std::vector<CompiledStep> compile_steps(const std::vector<Step>& steps, const std::string& place,
                                          const expr::Symbols& scope) const;
  CompiledLaunch compile_launch(const LaunchStep& step, const std::string& place, const expr::Symbols& scope) const;
  CompiledMemset compile_memset(const MemsetStep& step, const std::string& place, const expr::Symbols& scope) const;
  ExpressionTriple triple(const std::array<ExprText, 3>& texts, const std::string& place,
                          const expr::Symbols& scope) const;
  EntryTemplate compile_entry(const std::string& entry, const std::string& place, const expr::Symbols& scope) const;
  std::uint32_t entry_slot(std::string_view name, std::string_view place, const expr::Symbols& scope) const;
  CompiledArg compile_arg(const Arg& arg, const std::string& place, const expr::Symbols& scope) const;
  CompiledArg compile_arg(const BufferArg& arg, const std::string& place, const expr::Symbols& scope) const;
  CompiledArg compile_arg(const ScalarArg& arg, const std::string& place, const expr::Symbols& scope) const;
  CompiledArg compile_arg(const TensorMapArg& arg, const std::string& place, const expr::Symbols& scope) const;
  void check_tensor_map(const TensorMapArg& arg, const std::string& place) const;
  void fill_roles(LaunchStep& step) const;
  std::string role_param(Role role) const;
  bool reads_facts(const ExpressionTriple& expressions) const;
  bool reads_facts(const OptionalExpression& expression) const;

  const KernelSpec& spec_;
  CompiledSpec out_;
};

/// `spec` with the roles of its parameters written into the empty expressions that they fill: what is launched and
/// digested.
void fill_step_roles(const KernelSpec& spec, LaunchStep& step);
void fill_code_roles(const KernelSpec& spec, SourceCode& code);

/// True if `text` contains `name` as a whole identifier.
bool mentions(std::string_view text, std::string_view name) noexcept;

}  // namespace kerntune
