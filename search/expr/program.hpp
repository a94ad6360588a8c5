// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <kerntune/expr/expression.hpp>

#include "message.hpp"
#include "operators.hpp"

namespace kerntune::expr::detail {

/// Most values the machine ever holds; deeper expressions are refused. 200 levels of nesting with a pending operand
/// at every precedence stay below it.
constexpr std::size_t kMaxStack = 1024;

struct Instruction {
  Op op = Op::constant;
  Op chained = Op::equal;      // the comparison of a chain
  std::uint32_t argument = 0;  // constant, slot, or instructions to skip
  std::uint32_t offset = 0;    // of the operator in the text
};

/// The piece of text that the operator at `offset` computes, for messages.
struct Span {
  std::uint32_t offset = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// A compiled expression: postfix code for a stack machine. Skips are relative and forward only.
struct Program {
  std::string text;
  std::vector<Instruction> code;
  std::vector<Value> constants;      // strings point into `strings`
  std::deque<std::string> strings;   // a deque, because it never moves what it holds
  std::vector<std::uint32_t> slots;  // sorted, unique
  std::vector<Span> spans;

  Program() = default;
  Program(const Program&) = delete;  // constants point into it
  Program& operator=(const Program&) = delete;
};

/// Runs code[first, end) of `program`, which must leave one value.
Evaluation run(const Program& program, std::size_t first, std::span<const Value> values) noexcept;

/// Expression::explain for `program`.
std::string explain(const Program& program, const Evaluation& failed, const Symbols& symbols,
                    std::span<const Value> values);

}  // namespace kerntune::expr::detail
