// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "spec/nearest_name.hpp"
#include "spec/spec_compiler.hpp"

namespace kerntune {
namespace {

constexpr std::size_t kMostTensorDims = 5;  // cuTensorMapEncodeTiled

constexpr std::array<std::string_view, 4> kSwizzles{"none", "32B", "64B", "128B"};
constexpr std::array<std::string_view, 3> kInterleaves{"none", "16B", "32B"};
constexpr std::array<std::string_view, 4> kL2Promotions{"none", "64B", "128B", "256B"};
constexpr std::array<std::string_view, 2> kOobFills{"zero", "nan"};

}  // namespace

std::vector<CompiledStep> SpecCompiler::compile_steps(const std::vector<Step>& steps, const std::string& place,
                                                      const expr::Symbols& scope) const {
  std::vector<CompiledStep> compiled;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string step_place = fmt::format("{}[{}]", place, i);
    if (const auto* launch = std::get_if<LaunchStep>(&steps[i])) {
      compiled.emplace_back(compile_launch(*launch, step_place, scope));
    } else {
      compiled.emplace_back(compile_memset(std::get<MemsetStep>(steps[i]), step_place, scope));
    }
  }
  return compiled;
}

CompiledLaunch SpecCompiler::compile_launch(const LaunchStep& given, const std::string& place,
                                            const expr::Symbols& scope) const {
  LaunchStep step = given;
  const bool is_own = &scope == &out_.geometry;  // the reference's steps know neither roles nor facts
  if (is_own) fill_step_roles(spec_, step);
  const expr::Symbols& plain = is_own ? out_.scope : scope;
  CompiledLaunch compiled;
  compiled.entry = compile_entry(step.entry, place + ".entry", plain);
  compiled.when = optional(step.when, place + ".when", plain);
  compiled.grid = triple(step.grid, place + ".grid", scope);
  compiled.block = triple(step.block, place + ".block", scope);
  compiled.cluster = triple(step.cluster, place + ".cluster", plain);
  compiled.shared_bytes = optional(step.shared_bytes, place + ".shared_bytes", scope);
  compiled.carveout = optional(step.carveout, place + ".carveout", plain);
  compiled.cooperative = optional(step.cooperative, place + ".cooperative", plain);
  for (std::size_t i = 0; i < step.args.size(); ++i)
    compiled.args.push_back(compile_arg(given.args[i], fmt::format("{}.args[{}]", place, i), plain));
  compiled.block_reads_facts = reads_facts(compiled.block);
  compiled.shared_reads_facts = reads_facts(compiled.shared_bytes);
  compiled.reads_facts = compiled.block_reads_facts || compiled.shared_reads_facts || reads_facts(compiled.grid);
  return compiled;
}

CompiledMemset SpecCompiler::compile_memset(const MemsetStep& step, const std::string& place,
                                            const expr::Symbols& scope) const {
  const expr::Symbols& plain = &scope == &out_.geometry ? out_.scope : scope;
  if (step.byte < 0 || step.byte > 255) fail(place + ".byte", fmt::format("{} is not a byte, 0 to 255", step.byte));
  return {buffer_index(step.buffer, place + ".buffer"), optional(step.when, place + ".when", plain),
          optional(step.offset, place + ".offset", plain), optional(step.count, place + ".count", plain),
          static_cast<std::uint8_t>(step.byte)};
}

ExpressionTriple SpecCompiler::triple(const std::array<ExprText, 3>& texts, const std::string& place,
                                      const expr::Symbols& scope) const {
  ExpressionTriple expressions;
  for (std::size_t i = 0; i < texts.size(); ++i)
    expressions[i] = optional(texts[i], fmt::format("{}[{}]", place, i), scope);
  return expressions;
}

EntryTemplate SpecCompiler::compile_entry(const std::string& entry, const std::string& place,
                                          const expr::Symbols& scope) const {
  if (entry.empty()) fail(place, "expected a kernel's name, found an empty text");
  EntryTemplate compiled;
  std::string_view rest = entry;
  while (!rest.empty()) {
    const std::size_t open = rest.find_first_of("{}");
    EntryTemplate::Piece piece{std::string(rest.substr(0, open)), std::nullopt};
    if (open == std::string_view::npos) {
      rest = {};
    } else {
      const std::size_t close = rest.find('}', open);
      if (rest[open] == '}' || close == std::string_view::npos)
        fail(place, fmt::format("unpaired brace in '{}'; write {{name}} for the value of a name", entry));
      piece.slot = entry_slot(rest.substr(open + 1, close - open - 1), place, scope);
      rest.remove_prefix(close + 1);
    }
    compiled.pieces.push_back(std::move(piece));
  }
  return compiled;
}

std::uint32_t SpecCompiler::entry_slot(std::string_view name, std::string_view place,
                                       const expr::Symbols& scope) const {
  const auto slot = scope.find(name);
  const bool is_property = slot && *slot >= out_.layout.properties && *slot < out_.layout.common;
  if (slot && !is_property) return static_cast<std::uint32_t>(*slot);
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < scope.size(); ++i)
    if (i < out_.layout.properties || i >= out_.layout.common) known.push_back(scope.name(i));
  fail(place, fmt::format("unknown name '{}' in braces{}", name, suggestion(name, known)));
}

CompiledArg SpecCompiler::compile_arg(const Arg& arg, const std::string& place, const expr::Symbols& scope) const {
  return std::visit([&](const auto& value) { return compile_arg(value, place, scope); }, arg);
}

CompiledArg SpecCompiler::compile_arg(const BufferArg& arg, const std::string& place,
                                      const expr::Symbols& scope) const {
  return CompiledBufferArg{buffer_index(arg.buffer, place + ".buffer"), optional(arg.offset, place + ".offset", scope)};
}

CompiledArg SpecCompiler::compile_arg(const ScalarArg& arg, const std::string& place,
                                      const expr::Symbols& scope) const {
  return CompiledScalarArg{arg.dtype, expression(arg.value, place + ".value", scope)};
}

CompiledArg SpecCompiler::compile_arg(const TensorMapArg& arg, const std::string& place,
                                      const expr::Symbols& scope) const {
  check_tensor_map(arg, place);
  return CompiledTensorMap{buffer_index(arg.buffer, place + ".tensor_map"),
                           list(arg.dims, place + ".dims", scope),
                           list(arg.strides, place + ".strides", scope),
                           list(arg.box, place + ".box", scope),
                           list(arg.element_strides, place + ".element_strides", scope),
                           &arg};
}

void SpecCompiler::check_tensor_map(const TensorMapArg& arg, const std::string& place) const {
  const auto check_size = [&](const char* member, std::size_t size, std::size_t expected) {
    if (size != expected)
      fail(fmt::format("{}.{}", place, member), fmt::format("expected {} expressions, found {}", expected, size));
  };
  const auto check_name = [&](const char* member, const std::string& name, std::span<const std::string_view> known) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      fail(fmt::format("{}.{}", place, member), fmt::format("unknown value '{}'{}", name, suggestion(name, known)));
  };
  const std::size_t rank = arg.dims.size();
  if (rank < 1 || rank > kMostTensorDims)
    fail(place + ".dims", fmt::format("expected 1 to 5 expressions, found {}", rank));
  check_size("strides", arg.strides.size(), rank - 1);
  check_size("box", arg.box.size(), rank);
  if (!arg.element_strides.empty()) check_size("element_strides", arg.element_strides.size(), rank);
  check_name("swizzle", arg.swizzle, kSwizzles);
  check_name("interleave", arg.interleave, kInterleaves);
  check_name("l2_promotion", arg.l2_promotion, kL2Promotions);
  check_name("oob_fill", arg.oob_fill, kOobFills);
}

bool SpecCompiler::reads_facts(const ExpressionTriple& expressions) const {
  return std::any_of(expressions.begin(), expressions.end(), [&](const auto& e) { return reads_facts(e); });
}

bool SpecCompiler::reads_facts(const OptionalExpression& expression) const {
  if (!expression) return false;
  const auto slots = expression->expression.slots();
  return !slots.empty() && slots.back() >= out_.layout.facts;
}

}  // namespace kerntune
