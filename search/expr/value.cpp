// SPDX-License-Identifier: Apache-2.0
#include <kerntune/expr/value.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "compare.hpp"

namespace kerntune::expr {
namespace {

// The integers are exactly the doubles in [-2^63, 2^63) without fraction.
constexpr double kTwoTo63 = 0x1.0p63;

std::partial_ordering compare_mixed(std::int64_t a, double b) noexcept {
  if (std::isnan(b)) {
    return std::partial_ordering::unordered;
  }
  if (b >= kTwoTo63) {
    return std::partial_ordering::less;
  }
  if (b < -kTwoTo63) {
    return std::partial_ordering::greater;
  }
  const auto whole = static_cast<std::int64_t>(b);
  if (a != whole) {
    return a <=> whole;
  }
  return 0.0 <=> b - static_cast<double>(whole);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word_char(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '-'; }

bool is_plain_word(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, is_word_char) && text != "true" &&
         text != "false";
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + '"';
}

std::string real_text(double value) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  char buffer[32];
  const auto result = std::to_chars(std::begin(buffer), std::end(buffer), value);
  std::string text(buffer, result.ptr);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

}  // namespace

std::partial_ordering detail::compare_numbers(const Value& a, const Value& b) noexcept {
  const bool a_real = a.kind() == Value::Kind::real;
  const bool b_real = b.kind() == Value::Kind::real;
  if (a_real && b_real) {
    return a.real() <=> b.real();
  }
  if (b_real) {
    return compare_mixed(a.integer(), b.real());
  }
  if (a_real) {
    return 0 <=> compare_mixed(b.integer(), a.real());
  }
  return a.integer() <=> b.integer();
}

Value::Value(const Literal& literal) noexcept
    : Value(std::visit(
          [](const auto& v) {
            if constexpr (std::is_same_v<decltype(v), const std::string&>) {
              return Value(std::string_view(v));
            } else {
              return Value(v);
            }
          },
          literal)) {}

bool equal(const Value& a, const Value& b) noexcept {
  if (a.is_number() != b.is_number()) {
    return false;
  }
  return a.is_number() ? detail::compare_numbers(a, b) == 0 : a.string() == b.string();
}

std::string to_text(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return value.integer() != 0 ? "true" : "false";
    case Value::Kind::integer:
      return std::to_string(value.integer());
    case Value::Kind::real:
      return real_text(value.real());
    case Value::Kind::string:
      break;
  }
  return is_plain_word(value.string()) ? std::string(value.string()) : quoted(value.string());
}

std::string to_text(const Literal& literal) { return to_text(Value(literal)); }

Literal to_literal(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return value.integer() != 0;
    case Value::Kind::integer:
      return value.integer();
    case Value::Kind::real:
      return value.real();
    case Value::Kind::string:
      break;
  }
  return std::string(value.string());
}

}  // namespace kerntune::expr
