// SPDX-License-Identifier: Apache-2.0
#include "spec/spec_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <kerntune/core/errors.hpp>

#include "spec/nearest_name.hpp"

namespace kerntune {
namespace {

constexpr std::string_view kBlockThreads = "KERNTUNE_BLOCK_THREADS";

bool is_macro_name(std::string_view name) noexcept {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_word = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), is_word);
}

bool is_output(const BufferSpec& buffer) noexcept {
  return buffer.role == BufferRole::out || buffer.role == BufferRole::inout;
}

}  // namespace

void SpecCompiler::fail(std::string_view place, std::string_view message) const {
  throw SpecError(fmt::format("kernel '{}': {}: {}", spec_.name, place, message));
}

CompiledSpec SpecCompiler::compile() {
  check_names();
  check_dims();
  check_params();
  assign_slots();
  check_constraints();
  out_.applicability = list(spec_.applicability, "applicability", out_.scope);
  compile_buffers();
  compile_own_code();
  compile_symbols();
  compile_reference();
  compile_tolerances();
  out_.flop = optional(spec_.work.flop, "work.flop", out_.scope);
  out_.bytes = optional(spec_.work.bytes, "work.bytes", out_.scope);
  return std::move(out_);
}

PlacedExpression SpecCompiler::expression(const ExprText& text, std::string place, const expr::Symbols& scope) const {
  if (text.empty()) fail(place, "expected an expression, found an empty text");
  try {
    return {expr::Expression::compile(text, scope), std::move(place)};
  } catch (const expr::ExprError& error) {
    fail(place, error.what());
  }
}

OptionalExpression SpecCompiler::optional(const ExprText& text, std::string place, const expr::Symbols& scope) const {
  if (text.empty()) return std::nullopt;
  return expression(text, std::move(place), scope);
}

std::vector<PlacedExpression> SpecCompiler::list(const std::vector<ExprText>& texts, const std::string& place,
                                                 const expr::Symbols& scope) const {
  std::vector<PlacedExpression> expressions;
  for (std::size_t i = 0; i < texts.size(); ++i)
    expressions.push_back(expression(texts[i], fmt::format("{}[{}]", place, i), scope));
  return expressions;
}

void SpecCompiler::compile_buffers() {
  for (std::size_t i = 0; i < spec_.buffers.size(); ++i) {
    const BufferSpec& buffer = spec_.buffers[i];
    const std::string place = fmt::format("buffers[{}]", i);
    if (buffer.name.empty()) fail(place + ".name", "a buffer needs a name");
    for (std::size_t j = 0; j < i; ++j)
      if (spec_.buffers[j].name == buffer.name) fail(place + ".name", fmt::format("'{}' is given twice", buffer.name));
    check_fill(i);
    out_.buffers.push_back({expression(buffer.count, place + ".count", out_.scope),
                            optional(buffer.alignment, place + ".alignment", out_.scope)});
  }
}

void SpecCompiler::check_fill(std::size_t index) const {
  const BufferSpec& buffer = spec_.buffers[index];
  const Fill& fill = buffer.fill;
  const std::string place = fmt::format("buffers[{}].fill", index);
  if (fill.kind == Fill::Kind::uniform && fill.a > fill.b)
    fail(place, fmt::format("a {} is above b {}", fill.a, fill.b));
  if (fill.kind == Fill::Kind::normal && fill.b < 0) fail(place, fmt::format("b, a standard deviation, is {}", fill.b));
  if (fill.kind != Fill::Kind::zero && !is_signed(buffer.dtype) && fill.a < 0)
    fail(place, fmt::format("{} cannot hold {}", name_of(buffer.dtype), fill.a));
}

CompiledCode SpecCompiler::compile_code(const SourceCode& code, const std::string& place,
                                        const expr::Symbols& scope) const {
  CompiledCode compiled;
  compiled.options = code.options;
  for (std::size_t i = 0; i < code.defines.size(); ++i) {
    const std::string define_place = fmt::format("{}.defines[{}]", place, i);
    const Define& define = code.defines[i];
    if (!is_macro_name(define.name))
      fail(define_place + ".name", fmt::format("'{}' is not the name of a macro", define.name));
    compiled.defines.push_back({define.name, expression(define.value, define_place + ".value", scope)});
  }
  compiled.register_cap = optional(code.register_cap, place + ".register_cap", scope);
  compiled.min_blocks_per_sm = optional(code.min_blocks_per_sm, place + ".min_blocks_per_sm", scope);
  compiled.mentions_block_threads = mentions(code.text, kBlockThreads);
  for (const HeaderText& header : code.headers)
    compiled.mentions_block_threads = compiled.mentions_block_threads || mentions(header.text, kBlockThreads);
  return compiled;
}

void SpecCompiler::compile_own_code() {
  const auto is_launch = [](const Step& step) { return std::holds_alternative<LaunchStep>(step); };
  if (!spec_.is_source()) {
    if (!spec_.steps.empty()) fail("steps", "callable code has no steps: its launch callback runs the kernel");
    if (!spec_.symbols.empty()) fail("symbols", "callable code has no module whose symbols could be bound");
    return;
  }
  if (spec_.launchable() && std::none_of(spec_.steps.begin(), spec_.steps.end(), is_launch))
    fail("steps", "source code needs a step of kind launch");
  SourceCode code = std::get<SourceCode>(spec_.code);
  fill_code_roles(spec_, code);
  out_.code = compile_code(code, "code", out_.scope);
  out_.steps = compile_steps(spec_.steps, "steps", out_.geometry);
}

void SpecCompiler::compile_symbols() {
  for (std::size_t i = 0; i < spec_.symbols.size(); ++i) {
    const SymbolBinding& binding = spec_.symbols[i];
    const std::string place = fmt::format("symbols[{}]", i);
    const auto value = [&](const auto& arg) { return compile_arg(arg, place, out_.scope); };
    if (binding.symbol.empty()) fail(place + ".symbol", "a symbol needs a name");
    out_.symbols.push_back({binding.symbol, std::visit(value, binding.value)});
  }
}

void SpecCompiler::compile_reference() {
  for (const auto& [name, size] : spec_.reference.check_dims) {
    const auto is_named = [&named = name](const Dim& dim) { return dim.name == named; };
    const auto dim = std::find_if(spec_.dims.begin(), spec_.dims.end(), is_named);
    if (dim == spec_.dims.end()) fail("reference.check_dims", fmt::format("unknown dim '{}'", name));
    if (size < dim->min || size > dim->max)
      fail("reference.check_dims", fmt::format("{}={} is outside {} to {}", name, size, dim->min, dim->max));
  }
  if (!spec_.reference.kernel) return;
  const ReferenceKernel& kernel = *spec_.reference.kernel;
  if (kernel.code.text.empty()) fail("reference.kernel.code", "member 'text' is missing");
  CompiledReference reference;
  reference.code = compile_code(kernel.code, "reference.kernel.code", out_.common);
  reference.steps = compile_steps(kernel.steps, "reference.kernel.steps", out_.common);
  if (reference.steps.empty()) fail("reference.kernel.steps", "expected at least one step");
  out_.reference = std::move(reference);
}

void SpecCompiler::compile_tolerances() {
  for (std::size_t i = 0; i < spec_.tolerances.size(); ++i) {
    const Tolerance& tolerance = spec_.tolerances[i];
    const std::string place = fmt::format("tolerances[{}]", i);
    const BufferSpec& buffer = spec_.buffers[buffer_index(tolerance.buffer, place + ".buffer")];
    if (!is_output(buffer)) fail(place + ".buffer", fmt::format("'{}' is not an output", tolerance.buffer));
    for (std::size_t j = 0; j < i; ++j)
      if (spec_.tolerances[j].buffer == tolerance.buffer)
        fail(place + ".buffer", fmt::format("'{}' has a tolerance already", tolerance.buffer));
    const DType accumulator = tolerance.accumulator.value_or(buffer.dtype);
    if (!tolerance.reduction.empty() && (!is_real(buffer.dtype) || !is_real(accumulator)))
      fail(place + ".reduction", fmt::format("sums of '{}' do not round: integers are compared exactly", buffer.name));
    if (tolerance.reduction.empty() && (!tolerance.magnitude.empty() || tolerance.accumulator))
      fail(place, "'magnitude' and 'accumulator' say something about 'reduction', which is not given");
    out_.tolerances.push_back({tolerance.buffer, optional(tolerance.abs, place + ".abs", out_.common),
                               optional(tolerance.rel, place + ".rel", out_.common),
                               optional(tolerance.reduction, place + ".reduction", out_.common),
                               optional(tolerance.magnitude, place + ".magnitude", out_.common), buffer.dtype,
                               accumulator});
  }
}

std::size_t SpecCompiler::buffer_index(const std::string& name, std::string_view place) const {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < spec_.buffers.size(); ++i) {
    if (spec_.buffers[i].name == name) return i;
    known.push_back(spec_.buffers[i].name);
  }
  fail(place, fmt::format("unknown buffer '{}'{}", name, suggestion(name, known)));
}

CompiledSpec compile_spec(const KernelSpec& spec) { return SpecCompiler(spec).compile(); }

}  // namespace kerntune
