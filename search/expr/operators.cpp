// SPDX-License-Identifier: Apache-2.0
// Python's arithmetic on 64-bit integers and doubles: overflow and what Python raises are errors, nothing wraps.
#include "operators.hpp"

#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "compare.hpp"

namespace kerntune::expr::detail {
namespace {

using Code = EvalErrorCode;
using Kind = Value::Kind;
__extension__ typedef unsigned __int128 Uint128;

constexpr double kTwoTo63 = 0x1.0p63;

bool is_real(const Value& v) noexcept { return v.kind() == Kind::real; }

Code store(Value& out, std::int64_t result) noexcept {
  out = Value(result);
  return Code::none;
}

Code store_truth(Value& out, bool result) noexcept {
  out = Value(result);
  return Code::none;
}

Code store_checked(Value& out, std::int64_t result, bool overflowed) noexcept {
  return overflowed ? Code::overflow : store(out, result);
}

// A real result may be infinite or NaN only if an operand was.
Code store_real(Value& out, double result, double a, double b = 0) noexcept {
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) {
    return Code::overflow;
  }
  if (std::isnan(result) && !std::isnan(a) && !std::isnan(b)) {
    return Code::domain;
  }
  out = Value(result);
  return Code::none;
}

Code store_truncated(Value& out, double whole) noexcept {
  if (std::isnan(whole)) {
    return Code::domain;
  }
  if (!(whole >= -kTwoTo63 && whole < kTwoTo63)) {
    return Code::overflow;
  }
  return store(out, static_cast<std::int64_t>(whole));
}

// Reals without fraction serve as integers where a function needs one: n / 2 is real in Python.
Code to_whole(const Value& v, std::int64_t& whole) noexcept {
  if (!v.is_number()) {
    return Code::type_mismatch;
  }
  if (!is_real(v)) {
    whole = v.integer();
    return Code::none;
  }
  if (std::trunc(v.real()) != v.real()) {
    return Code::domain;
  }
  Value truncated;
  const Code code = store_truncated(truncated, v.real());
  whole = truncated.integer();
  return code;
}

std::uint64_t magnitude(std::int64_t v) noexcept {
  return v < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
}

// Correctly rounded a / b. Beyond 2^53 a double no longer holds the operands, so the quotient of the shifted numerator
// is taken in 128 bits with a sticky last bit, and rounded once.
double true_quotient(std::int64_t a, std::int64_t b) noexcept {
  constexpr std::uint64_t exact = std::uint64_t{1} << 53;
  if (a == 0 || (magnitude(a) <= exact && magnitude(b) <= exact)) {
    return static_cast<double>(a) / static_cast<double>(b);
  }
  const int shift = 64 + std::countl_zero(magnitude(a));
  const Uint128 numerator = Uint128{magnitude(a)} << shift;
  const Uint128 quotient = numerator / magnitude(b);
  const Uint128 sticky = numerator % magnitude(b) != 0 ? 1 : 0;
  const double result = std::ldexp(static_cast<double>(quotient | sticky), -shift);
  return (a < 0) != (b < 0) ? -result : result;
}

std::int64_t floored_quotient(std::int64_t a, std::int64_t b) noexcept {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t floored_remainder(std::int64_t a, std::int64_t b) noexcept {
  const std::int64_t remainder = b == -1 ? 0 : a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

double floored_remainder(double a, double b) noexcept {
  const double remainder = std::fmod(a, b);
  if (remainder == 0) {
    return std::copysign(0.0, b);
  }
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// From the remainder, because floor(a / b) is off by one where a / b rounds up to a whole number.
double floored_quotient(double a, double b) noexcept {
  const double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) {
    quotient -= 1;
  }
  if (quotient == 0) {
    return std::copysign(0.0, a / b);
  }
  const double below = std::floor(quotient);
  return quotient - below > 0.5 ? below + 1 : below;
}

Code power_of_reals(double base, double exponent, Value& out) noexcept {
  if (base == 0 && exponent < 0) {
    return Code::division_by_zero;
  }
  return store_real(out, std::pow(base, exponent), base, exponent);
}

Code power_of_integers(std::int64_t base, std::int64_t exponent, Value& out) noexcept {
  if (exponent < 0) {
    return power_of_reals(static_cast<double>(base), static_cast<double>(exponent), out);
  }
  std::int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) {
      return Code::overflow;
    }
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) {
      return Code::overflow;
    }
  }
  return store(out, result);
}

Code integer_arithmetic(Op op, std::int64_t a, std::int64_t b, Value& out) noexcept {
  // One after the other: the order in which a call's arguments are evaluated is the compiler's choice.
  std::int64_t result = 0;
  bool overflowed = false;
  switch (op) {
    case Op::add:
      overflowed = __builtin_add_overflow(a, b, &result);
      return store_checked(out, result, overflowed);
    case Op::subtract:
      overflowed = __builtin_sub_overflow(a, b, &result);
      return store_checked(out, result, overflowed);
    case Op::multiply:
      overflowed = __builtin_mul_overflow(a, b, &result);
      return store_checked(out, result, overflowed);
    case Op::power:
      return power_of_integers(a, b, out);
    default:
      break;
  }
  if (b == 0) {
    return Code::division_by_zero;
  }
  if (op == Op::divide) {
    out = Value(true_quotient(a, b));
    return Code::none;
  }
  if (op == Op::modulo) {
    return store(out, floored_remainder(a, b));
  }
  return a == INT64_MIN && b == -1 ? Code::overflow : store(out, floored_quotient(a, b));
}

Code real_arithmetic(Op op, double a, double b, Value& out) noexcept {
  switch (op) {
    case Op::add:
      return store_real(out, a + b, a, b);
    case Op::subtract:
      return store_real(out, a - b, a, b);
    case Op::multiply:
      return store_real(out, a * b, a, b);
    case Op::power:
      return power_of_reals(a, b, out);
    default:
      break;
  }
  if (b == 0) {
    return Code::division_by_zero;
  }
  if (op == Op::divide) {
    return store_real(out, a / b, a, b);
  }
  return store_real(out, op == Op::modulo ? floored_remainder(a, b) : floored_quotient(a, b), a, b);
}

Code arithmetic(Op op, const Value& a, const Value& b, Value& out) noexcept {
  if (!a.is_number() || !b.is_number()) {
    return Code::type_mismatch;
  }
  if (is_real(a) || is_real(b)) {
    return real_arithmetic(op, a.as_double(), b.as_double(), out);
  }
  return integer_arithmetic(op, a.integer(), b.integer(), out);
}

std::optional<std::partial_ordering> order(const Value& a, const Value& b) noexcept {
  if (a.is_number() != b.is_number()) {
    return std::nullopt;
  }
  return a.is_number() ? compare_numbers(a, b) : std::partial_ordering(a.string() <=> b.string());
}

Code compare_integers(Op op, std::int64_t a, std::int64_t b, Value& out) noexcept {
  switch (op) {
    case Op::equal:
      return store_truth(out, a == b);
    case Op::not_equal:
      return store_truth(out, a != b);
    case Op::less:
      return store_truth(out, a < b);
    case Op::less_equal:
      return store_truth(out, a <= b);
    case Op::greater:
      return store_truth(out, a > b);
    default:
      return store_truth(out, a >= b);
  }
}

Code compare(Op op, const Value& a, const Value& b, Value& out) noexcept {
  if (op == Op::equal || op == Op::not_equal) {
    return store_truth(out, expr::equal(a, b) == (op == Op::equal));
  }
  const auto ordering = order(a, b);
  if (!ordering) {
    return Code::type_mismatch;
  }
  switch (op) {
    case Op::less:
      return store_truth(out, *ordering < 0);
    case Op::less_equal:
      return store_truth(out, *ordering <= 0);
    case Op::greater:
      return store_truth(out, *ordering > 0);
    default:
      return store_truth(out, *ordering >= 0);
  }
}

// As in Python the first of equals wins, and so does the first operand against a NaN.
Code extreme(Op op, const Value& a, const Value& b, Value& out) noexcept {
  const auto ordering = order(b, a);
  if (!ordering) {
    return Code::type_mismatch;
  }
  out = (op == Op::min ? *ordering < 0 : *ordering > 0) ? b : a;
  return Code::none;
}

Code greatest_common_divisor(std::int64_t a, std::int64_t b, Value& out) noexcept {
  const std::uint64_t result = std::gcd(magnitude(a), magnitude(b));
  return store_checked(out, static_cast<std::int64_t>(result), result > INT64_MAX);
}

// ceil_div(a, b), and the multiples of b around a.
Code rounding(Op op, std::int64_t a, std::int64_t b, Value& out) noexcept {
  if (b <= 0) {
    return b == 0 ? Code::division_by_zero : Code::domain;
  }
  std::int64_t quotient = floored_quotient(a, b);
  if (op != Op::round_down && a % b != 0) {
    ++quotient;
  }
  std::int64_t result = quotient;
  const bool overflowed = op != Op::ceil_div && __builtin_mul_overflow(quotient, b, &result);
  return store_checked(out, result, overflowed);
}

Code whole_function(Op op, const Value& a, const Value& b, Value& out) noexcept {
  std::int64_t x = 0;
  std::int64_t y = 0;
  if (const Code code = to_whole(a, x); code != Code::none) {
    return code;
  }
  if (const Code code = to_whole(b, y); code != Code::none) {
    return code;
  }
  return op == Op::gcd ? greatest_common_divisor(x, y, out) : rounding(op, x, y, out);
}

Code whole_function(Op op, const Value& operand, Value& out) noexcept {
  std::int64_t n = 0;
  if (const Code code = to_whole(operand, n); code != Code::none) {
    return code;
  }
  if (op == Op::is_pow2) {
    return store_truth(out, n > 0 && std::has_single_bit(magnitude(n)));
  }
  if (n < 0) {
    return Code::domain;
  }
  return n > 62 ? Code::overflow : store(out, std::int64_t{1} << n);
}

Code binary_logarithm(double operand, Value& out) noexcept {
  return operand <= 0 ? Code::domain : store_real(out, std::log2(operand), operand);
}

Code integer_function(Op op, std::int64_t n, Value& out) noexcept {
  switch (op) {
    case Op::negate:
      return store_checked(out, -std::int64_t{n == INT64_MIN ? 0 : n}, n == INT64_MIN);
    case Op::abs:
      return n < 0 ? integer_function(Op::negate, n, out) : store(out, n);
    case Op::log2:
      return binary_logarithm(static_cast<double>(n), out);
    case Op::to_float:
      out = Value(static_cast<double>(n));
      return Code::none;
    default:  // plus, floor, ceil, int
      return store(out, n);
  }
}

Code real_function(Op op, double x, Value& out) noexcept {
  switch (op) {
    case Op::negate:
      out = Value(-x);
      return Code::none;
    case Op::abs:
      out = Value(std::fabs(x));
      return Code::none;
    case Op::log2:
      return binary_logarithm(x, out);
    case Op::floor:
      return store_truncated(out, std::floor(x));
    case Op::ceil:
      return store_truncated(out, std::ceil(x));
    case Op::to_int:
      return store_truncated(out, std::trunc(x));
    default:  // plus, float
      out = Value(x);
      return Code::none;
  }
}

}  // namespace

EvalErrorCode apply(Op op, const Value& operand, Value& out) noexcept {
  switch (op) {
    case Op::logical_not:
      return store_truth(out, !operand.truthy());
    case Op::to_bool:
      return store_truth(out, operand.truthy());
    case Op::pow2:
    case Op::is_pow2:
      return whole_function(op, operand, out);
    default:
      break;
  }
  if (!operand.is_number()) {
    return Code::type_mismatch;
  }
  return is_real(operand) ? real_function(op, operand.real(), out) : integer_function(op, operand.integer(), out);
}

EvalErrorCode apply(Op op, const Value& a, const Value& b, Value& out) noexcept {
  // Nearly all operands are integers; building a space spends its time here.
  if (a.kind() <= Kind::integer && b.kind() <= Kind::integer && op <= Op::greater_equal) {
    return op <= Op::power ? integer_arithmetic(op, a.integer(), b.integer(), out)
                           : compare_integers(op, a.integer(), b.integer(), out);
  }
  if (op <= Op::power) {
    return arithmetic(op, a, b, out);
  }
  if (op <= Op::greater_equal) {
    return compare(op, a, b, out);
  }
  if (op <= Op::max) {
    return extreme(op, a, b, out);
  }
  return whole_function(op, a, b, out);
}

}  // namespace kerntune::expr::detail
