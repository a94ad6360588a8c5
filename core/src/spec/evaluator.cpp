// SPDX-License-Identifier: Apache-2.0
#include "spec/evaluator.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace kerntune {
namespace {

// The integer that a number is; nothing for text and for reals with a fraction or beyond 64 bits.
std::optional<std::int64_t> whole(const expr::Value& value) noexcept {
  if (!value.is_number()) return std::nullopt;
  if (value.kind() != expr::Value::Kind::real) return value.integer();
  const double real = value.real();
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(real >= -kLimit && real < kLimit) || real != std::floor(real)) return std::nullopt;
  return static_cast<std::int64_t>(real);
}

std::pair<std::int64_t, std::int64_t> integer_range(DType dtype) noexcept {
  switch (dtype) {
    case DType::i8:
      return {INT8_MIN, INT8_MAX};
    case DType::u8:
      return {0, UINT8_MAX};
    case DType::i32:
      return {INT32_MIN, INT32_MAX};
    case DType::u32:
      return {0, UINT32_MAX};
    case DType::u64:
      return {0, INT64_MAX};
    default:
      return {INT64_MIN, INT64_MAX};
  }
}

// Bits of a real in a format with `mantissa` stored bits and `exponent` bits, at most 16 bits together with the sign.
// Scaling to an integer number of units in the last place makes the hardware's rounding to nearest even do the work.
std::uint16_t narrow(double value, int mantissa, int exponent) noexcept {
  const auto sign = static_cast<unsigned>(std::signbit(value) ? 0x8000 : 0);
  const unsigned infinity = ((1U << exponent) - 1U) << mantissa;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | (1U << (mantissa - 1)));
  const int bias = (1 << (exponent - 1)) - 1;
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | infinity);
  const int power = magnitude == 0 ? 1 - bias : std::max(std::ilogb(magnitude), 1 - bias);
  const auto units = static_cast<unsigned long long>(std::nearbyint(std::ldexp(magnitude, mantissa - power)));
  // A subnormal has fewer units than 2^mantissa and exponent field 0; adding carries into the exponent as rounding up
  // does.
  const unsigned long long bits = (static_cast<unsigned long long>(power + bias - 1) << mantissa) + units;
  return static_cast<std::uint16_t>(sign | (bits >= infinity ? infinity : static_cast<unsigned>(bits)));
}

template <class T>
void store(std::array<unsigned char, 8>& bytes, T value) noexcept {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(bytes.data(), &value, sizeof value);
}

}  // namespace

std::uint16_t to_f16(double value) noexcept { return narrow(value, 10, 5); }
std::uint16_t to_bf16(double value) noexcept { return narrow(value, 7, 8); }

expr::Value Evaluator::value(const PlacedExpression& expression) const {
  const auto slots = expression.expression.slots();
  if (!slots.empty() && slots.back() >= values_.size())
    reject(expression, fmt::format("reads '{}', which has no value here", spec_.geometry.name(slots.back())));
  const expr::Evaluation result = expression.expression.evaluate(values_);
  if (!result.ok()) reject(expression, expression.expression.explain(result, spec_.geometry, values_));
  return result.value;
}

std::int64_t Evaluator::integer(const PlacedExpression& expression, std::int64_t min, std::int64_t max) const {
  const expr::Value result = value(expression);
  const auto number = whole(result);
  if (!number) reject(expression, fmt::format("is {}, expected an integer", expr::to_text(result)));
  if (*number >= min && *number <= max) return *number;
  const Reason reason = *number > max ? Reason::device_limit : Reason::bad_expression;
  reject(expression, fmt::format("is {}, expected {} to {}", *number, min, max), reason);
}

double Evaluator::real(const PlacedExpression& expression) const {
  const expr::Value result = value(expression);
  if (!result.is_number()) reject(expression, fmt::format("is {}, expected a number", expr::to_text(result)));
  return result.as_double();
}

std::array<unsigned char, 8> Evaluator::scalar(const PlacedExpression& expression, DType dtype) const {
  std::array<unsigned char, 8> bytes{};
  if (!is_real(dtype)) {
    const auto [min, max] = integer_range(dtype);
    store(bytes, integer(expression, min, max));  // little endian: the low bytes are the narrower integer
    for (std::size_t i = size_of(dtype); i < bytes.size(); ++i) bytes[i] = 0;
    return bytes;
  }
  const double number = real(expression);
  const bool is_finite = std::isfinite(number);
  if (dtype == DType::f64) {
    store(bytes, number);
  } else if (dtype == DType::f32) {
    if (is_finite && std::fabs(number) > std::numeric_limits<float>::max())
      reject(expression, fmt::format("is {}, beyond the range of f32", number));
    store(bytes, static_cast<float>(number));
  } else {
    const std::uint16_t bits = dtype == DType::f16 ? to_f16(number) : to_bf16(number);
    const unsigned infinity = dtype == DType::f16 ? 0x7C00 : 0x7F80;
    if (is_finite && (bits & 0x7FFFU) == infinity)
      reject(expression, fmt::format("is {}, beyond the range of {}", number, name_of(dtype)));
    store(bytes, bits);
  }
  return bytes;
}

std::string Evaluator::text(std::uint32_t slot) const { return text(values_[slot], "true", "false"); }

std::string Evaluator::text(const expr::Value& value, const char* yes, const char* no) {
  if (value.kind() == expr::Value::Kind::boolean) return value.truthy() ? yes : no;
  if (value.kind() == expr::Value::Kind::string) return std::string(value.string());
  return expr::to_text(value);
}

void Evaluator::reject(const PlacedExpression& expression, const std::string& problem, Reason reason) const {
  throw Rejected{
      {reason, fmt::format("{} '{}' {}{}", expression.place, expression.expression.text(), problem, where())}};
}

std::string Evaluator::where() const {
  std::string text;
  const auto add = [&](std::size_t first, std::size_t last, const char* separator) {
    for (std::size_t slot = first; slot < std::min(last, values_.size()); ++slot) {
      text += slot == first ? separator : ",";
      text += spec_.geometry.name(slot) + "=" + expr::to_text(values_[slot]);
    }
  };
  add(spec_.layout.params, spec_.layout.derived, " at ");
  add(0, spec_.layout.properties, text.empty() ? " at " : "; ");
  return text;
}

}  // namespace kerntune
