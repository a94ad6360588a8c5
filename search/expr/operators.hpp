// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kerntune/expr/expression.hpp>
#include <kerntune/expr/value.hpp>

namespace kerntune::expr::detail {

/// What one instruction does. The first two groups are pure functions of their operands; see apply().
enum class Op : std::uint8_t {
  // one operand
  negate,
  plus,
  logical_not,
  abs,
  floor,
  ceil,
  log2,
  pow2,
  is_pow2,
  to_int,
  to_float,
  to_bool,
  // two operands
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  min,
  max,
  ceil_div,
  round_up,
  round_down,
  gcd,
  // the machine's own
  constant,       // push constants[argument]
  load,           // push values[argument]
  member,         // x found e -> x (found or x == e)
  member_end,     // x found -> found
  jump,           // skip `argument` instructions
  jump_if_false,  // pop; skip `argument` instructions if it was false
  and_keep,       // if the top is false skip `argument` instructions, else pop
  or_keep,        // if the top is true skip `argument` instructions, else pop
  chain,          // a b -> b if `a chained b` holds, else push False and skip `argument` instructions
};

constexpr bool is_unary(Op op) noexcept { return op <= Op::to_bool; }
constexpr bool is_binary(Op op) noexcept { return op > Op::to_bool && op <= Op::gcd; }

/// Sets `out`, which may be one of the operands, unless it returns an error. Requires: is_unary(op).
EvalErrorCode apply(Op op, const Value& operand, Value& out) noexcept;
/// The same for two operands. Requires: is_binary(op).
EvalErrorCode apply(Op op, const Value& a, const Value& b, Value& out) noexcept;

}  // namespace kerntune::expr::detail
