// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <tl/expected.hpp>

#include <kerntune/core/rejection.hpp>

#include "spec/compiled_spec.hpp"

namespace kerntune {

/// How a rejection travels inside one plan: a plan is dozens of evaluations deep, and each can reject. It never leaves
/// rejections_of().
struct Rejected {
  Rejection rejection;
};

/// Runs `plan` and gives its result, or the rejection that it ran into.
template <class Plan>
auto rejections_of(Plan plan) -> tl::expected<decltype(plan()), Rejection> {
  try {
    if constexpr (std::is_void_v<decltype(plan())>) {
      plan();
      return {};
    } else {
      return plan();
    }
  } catch (Rejected& rejected) {
    return tl::unexpected(std::move(rejected.rejection));
  }
}

/// Evaluates a spec's expressions on one set of values. A value that is not what its place needs is a rejection that
/// names place, expression, value, configuration and sizes. Borrows its arguments.
class Evaluator {
 public:
  Evaluator(const CompiledSpec& spec, std::span<const expr::Value> values) noexcept : spec_(spec), values_(values) {}

  expr::Value value(const PlacedExpression& expression) const;
  /// An integer within [min, max]; whole reals (true division) and booleans count as integers.
  std::int64_t integer(const PlacedExpression& expression, std::int64_t min, std::int64_t max) const;
  double real(const PlacedExpression& expression) const;
  bool truth(const PlacedExpression& expression) const { return value(expression).truthy(); }

  std::int64_t integer_or(const OptionalExpression& expression, std::int64_t absent, std::int64_t min,
                          std::int64_t max) const {
    return expression ? integer(*expression, min, max) : absent;
  }
  bool truth_or(const OptionalExpression& expression, bool absent) const {
    return expression ? truth(*expression) : absent;
  }

  /// The value in the argument's type, little endian; the rest of the array is zero.
  std::array<unsigned char, 8> scalar(const PlacedExpression& expression, DType dtype) const;

  /// A value as C++ text: booleans as `yes` and `no`, text without quotes.
  std::string text(std::uint32_t slot) const;
  static std::string text(const expr::Value& value, const char* yes, const char* no);

  [[noreturn]] void reject(const PlacedExpression& expression, const std::string& problem,
                           Reason reason = Reason::bad_expression) const;
  /// "at block_x=64,items=2; batch=8,n=100".
  std::string where() const;

 private:
  const CompiledSpec& spec_;
  std::span<const expr::Value> values_;
};

/// IEEE 754 binary16 and bfloat16 of a real, rounded to nearest even; out of range becomes infinity.
std::uint16_t to_f16(double value) noexcept;
std::uint16_t to_bf16(double value) noexcept;

}  // namespace kerntune
