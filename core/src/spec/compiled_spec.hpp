// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/expr/expression.hpp>

namespace kerntune {

/// An expression and where it stands in its spec, "steps[0].grid[1]".
struct PlacedExpression {
  expr::Expression expression;
  std::string place;
};
using OptionalExpression = std::optional<PlacedExpression>;

/// Slots of the names that expressions read, in one array: what a binding without a configuration has comes first.
///   [0, properties)       dims
///   [properties, common)  device properties
///   [common, params)      derived names that depend on nothing below
///   [params, derived)     parameters
///   [derived, facts)      the other derived names
///   facts, facts + 1      regs, blocks_per_sm
struct SlotLayout {
  std::size_t properties = 0, common = 0, params = 0, derived = 0, facts = 0;
};

struct CompiledDerived {
  std::uint32_t slot = 0;
  PlacedExpression value;
};

/// "sgemm<{block_m}>" as texts and the slots between them.
struct EntryTemplate {
  struct Piece {
    std::string text;
    std::optional<std::uint32_t> slot;  // printed after the text
  };
  std::vector<Piece> pieces;
};

struct CompiledBufferArg {
  std::size_t buffer = 0;
  OptionalExpression offset;
};
struct CompiledScalarArg {
  DType dtype = DType::i32;
  PlacedExpression value;
};
struct CompiledTensorMap {
  std::size_t buffer = 0;
  std::vector<PlacedExpression> dims, strides, box, element_strides;
  const TensorMapArg* source = nullptr;
};
using CompiledArg = std::variant<CompiledBufferArg, CompiledScalarArg, CompiledTensorMap>;

using ExpressionTriple = std::array<OptionalExpression, 3>;

struct CompiledLaunch {
  EntryTemplate entry;
  OptionalExpression when;
  ExpressionTriple grid, block, cluster;
  OptionalExpression shared_bytes, carveout, cooperative;
  std::vector<CompiledArg> args;
  bool reads_facts = false;  // its grid, block or shared_bytes read regs or blocks_per_sm
  bool block_reads_facts = false, shared_reads_facts = false;
};
struct CompiledMemset {
  std::size_t buffer = 0;
  OptionalExpression when, offset, count;
  std::uint8_t byte = 0;
};
using CompiledStep = std::variant<CompiledLaunch, CompiledMemset>;

struct CompiledBuffer {
  PlacedExpression count;
  OptionalExpression alignment;
};

struct CompiledDefine {
  std::string name;
  PlacedExpression value;
};
struct CompiledCode {
  std::vector<std::string> options;
  std::vector<CompiledDefine> defines;
  OptionalExpression register_cap, min_blocks_per_sm;
  bool mentions_block_threads = false;
};

struct CompiledSymbol {
  std::string symbol;
  CompiledArg value;
};

struct CompiledReference {
  CompiledCode code;
  std::vector<CompiledStep> steps;
};

struct CompiledTolerance {
  std::string buffer;
  OptionalExpression abs, rel, reduction, magnitude;
  DType output{}, accumulator{};
};

/// Every expression of a spec, compiled. Ownership: borrows the spec's tensor map arguments.
struct CompiledSpec {
  SlotLayout layout;
  expr::Symbols common;                                  // dims, device properties and what derives from them
  expr::Symbols scope;                                   // those, parameters, derived names
  expr::Symbols geometry;                                // those, regs and blocks_per_sm
  std::vector<CompiledDerived> common_derived, derived;  // in order of evaluation
  std::vector<PlacedExpression> applicability;
  std::vector<CompiledBuffer> buffers;
  CompiledCode code;  // empty for callable code
  std::vector<CompiledStep> steps;
  std::vector<CompiledSymbol> symbols;
  std::optional<CompiledReference> reference;
  std::vector<CompiledTolerance> tolerances;
  OptionalExpression flop, bytes;
};

/// Checks what a spec's parts mean together and compiles its expressions. Cost: does not build the space.
/// Errors: SpecError, "kernel 'sgemm': steps[0].grid[1]: unknown name 'blok_x'; ...".
CompiledSpec compile_spec(const KernelSpec& spec);

}  // namespace kerntune
