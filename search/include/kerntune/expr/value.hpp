// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace kerntune::expr {

/// An owned value of a parameter, dim or constant: boolean, integer, real or string, as in Python.
using Literal = std::variant<bool, std::int64_t, double, std::string>;

/// A borrowed value: what expressions compute with. Trivially copyable, never allocates.
/// Ownership: a string value points into a Literal or an Expression that must outlive it.
class Value {
 public:
  enum class Kind : std::uint8_t { boolean, integer, real, string };

  constexpr Value() noexcept : integer_(0), kind_(Kind::integer) {}
  constexpr explicit Value(bool v) noexcept : integer_(v ? 1 : 0), kind_(Kind::boolean) {}
  constexpr explicit Value(std::int64_t v) noexcept : integer_(v), kind_(Kind::integer) {}
  constexpr explicit Value(double v) noexcept : real_(v), kind_(Kind::real) {}
  constexpr explicit Value(std::string_view v) noexcept : text_{v.data(), v.size()}, kind_(Kind::string) {}
  /// Without it a string literal would quietly become a boolean.
  constexpr explicit Value(const char* v) noexcept : Value(std::string_view(v)) {}
  /// Borrows `literal`.
  explicit Value(const Literal& literal) noexcept;

  constexpr Kind kind() const noexcept { return kind_; }
  constexpr bool is_number() const noexcept { return kind_ != Kind::string; }
  /// Requires: boolean or integer. Booleans read as 0 and 1.
  constexpr std::int64_t integer() const noexcept { return integer_; }
  /// Requires: real.
  constexpr double real() const noexcept { return real_; }
  /// Requires: string.
  constexpr std::string_view string() const noexcept { return {text_.data, text_.size}; }
  /// Requires: is_number().
  constexpr double as_double() const noexcept { return kind_ == Kind::real ? real_ : static_cast<double>(integer_); }
  /// Python's truth: non-zero, non-empty.
  constexpr bool truthy() const noexcept {
    if (kind_ <= Kind::integer) {
      return integer_ != 0;
    }
    return kind_ == Kind::real ? real_ != 0 : text_.size != 0;
  }

 private:
  struct Text {
    const char* data;
    std::size_t size;
  };
  union {
    std::int64_t integer_;
    double real_;
    Text text_;
  };
  Kind kind_;
};

/// Python's ==: numbers compare by value across kinds (True == 1 == 1.0), strings only with strings.
bool equal(const Value& a, const Value& b) noexcept;

/// Canonical text: 128, 0.5, true, fp16. Reals print the shortest form that reads back exactly and always
/// contain '.', 'e', "inf" or "nan". Strings are bare when they are plain words ([A-Za-z_][A-Za-z0-9_.+-]*,
/// not "true"/"false") and double-quoted with \" and \\ escaped otherwise.
std::string to_text(const Value& value);
std::string to_text(const Literal& literal);

/// Owned copy of a borrowed value.
Literal to_literal(const Value& value);

}  // namespace kerntune::expr
