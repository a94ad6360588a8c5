// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kerntune/expr/value.hpp>

namespace kerntune::expr {

namespace detail {
struct Program;
}

/// Names that expressions may use. Each name has a slot: the position of its value in the span that
/// Expression::evaluate receives.
class Symbols {
 public:
  /// Adds `name` and returns its slot; slots count up from 0.
  /// Errors: ExprError if the name is empty, not an identifier, reserved or already present.
  std::size_t add(std::string_view name);
  std::optional<std::size_t> find(std::string_view name) const noexcept;
  std::size_t size() const noexcept { return names_.size(); }
  const std::string& name(std::size_t slot) const { return names_.at(slot); }

 private:
  std::vector<std::string> names_;
};

/// Why an expression could not be compiled. what() is one message with the text and a caret line under the place:
///   unknown name 'blok_x'; known names are block_x, block_y
///     blok_x * block_y <= 1024
///     ^~~~~~
class ExprError : public std::runtime_error {
 public:
  ExprError(const std::string& message, std::size_t offset) : std::runtime_error(message), offset_(offset) {}
  /// Byte offset of the place in the expression's text.
  std::size_t offset() const noexcept { return offset_; }

 private:
  std::size_t offset_;
};

enum class EvalErrorCode : std::uint8_t {
  none,
  overflow,          // left the range of 64-bit integers, or a real became infinite
  division_by_zero,  // of /, //, % or a zero to a negative power
  type_mismatch,     // e.g. 'a' < 1
  domain,            // e.g. negative base with a fractional exponent, ceil_div by a negative
};

/// The result of an evaluation: a value, or an error with the place of the operator that failed.
struct Evaluation {
  Value value;
  EvalErrorCode error = EvalErrorCode::none;
  std::uint32_t offset = 0;  // byte offset in the text, meaningful if error != none
  bool ok() const noexcept { return error == EvalErrorCode::none; }
};

/// A compiled expression in the subset of Python that Kernel Tuner's restriction strings use:
/// and or not, chained comparisons, in / not in with tuples and lists, conditional `a if c else b`,
/// + - * / // % ** with Python's meaning (true division, floored // and %), unary + -, parentheses,
/// literals (integers in any base, reals, 'strings', True, False),
/// functions min max abs ceil_div round_up round_down floor ceil log2 gcd pow2 is_pow2 int float bool.
///
/// Total: every input text compiles or throws ExprError; every evaluation returns a value or an error, never
/// crashes, never allocates. Integers are 64-bit and overflow is an error, never a wrap.
/// Threads: immutable after compile; evaluate may run on any number of threads at once.
class Expression {
 public:
  /// The constant 0.
  Expression();

  /// Limits: 64 KiB of text, nesting depth 200. Constant sub-expressions are folded; a constant error is reported here.
  /// Errors: ExprError.
  static Expression compile(std::string_view text, const Symbols& symbols);

  /// A literal integer, without parsing.
  static Expression constant(std::int64_t value);

  /// The machine code; for this library.
  const detail::Program& program() const noexcept { return *program_; }

  /// Requires: values.size() >= every slot in slots().
  [[nodiscard]] Evaluation evaluate(std::span<const Value> values) const noexcept;

  const std::string& text() const noexcept;
  /// Sorted, unique slots that the expression reads.
  std::span<const std::uint32_t> slots() const noexcept;
  bool is_constant() const noexcept { return slots().empty(); }
  /// Message with caret for a failed evaluation of this expression, naming the values that the failing part read:
  ///   division by zero in 'KWG % X' at KWG=16, X=0
  ///     KWG % X == 0
  ///         ^
  std::string explain(const Evaluation& failed, const Symbols& symbols, std::span<const Value> values) const;

 private:
  explicit Expression(std::shared_ptr<const detail::Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const detail::Program> program_;  // immutable, shared by copies
};

}  // namespace kerntune::expr
