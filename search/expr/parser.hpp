// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "emitter.hpp"
#include "functions.hpp"
#include "lexer.hpp"

namespace kerntune::expr::detail {

/// Recursive descent over Python's grammar; emits code while it reads. Each parse function leaves the code of one
/// value and returns whether that value is a constant.
class Parser {
 public:
  /// Fills `program`, whose text is set. Borrows both.
  Parser(Program& program, const Symbols& symbols);
  /// Errors: ExprError.
  void parse();

 private:
  class Nested;

  bool expression();
  bool conditional(std::size_t first, bool constant);
  bool disjunction();
  bool conjunction();
  bool negation();
  bool comparison();
  bool membership(bool constant);
  bool list(std::uint32_t offset);
  bool sum();
  bool product();
  bool signed_factor();
  bool power();
  bool atom();
  bool parenthesised();
  bool integer(bool negative);
  bool name();
  bool call();

  bool operation(Op op, std::size_t first, const Span& span, bool constant);
  std::optional<Op> comparison_operator() const;
  bool at_membership() const { return token_.is("in") || (token_.is("not") && ahead_.is("in")); }
  void refuse_what_follows_a_comparison() const;
  void check_arity(const Function& function, std::size_t count, std::size_t offset) const;

  void advance();
  void expect(std::string_view symbol, const char* purpose);
  std::uint32_t here() const { return static_cast<std::uint32_t>(token_.offset); }
  std::uint32_t behind() const { return static_cast<std::uint32_t>(behind_); }
  [[noreturn]] void fail(const std::string& message, std::size_t offset, std::size_t length) const;
  [[noreturn]] void fail_here(const std::string& message) const;

  const std::string& text_;
  const Symbols& symbols_;
  Emitter emit_;
  Lexer lexer_;
  Token token_;
  Token ahead_;             // one more, because of `not in` and calls
  std::size_t behind_ = 0;  // where the last token ended
  std::size_t nesting_ = 0;
};

}  // namespace kerntune::expr::detail
