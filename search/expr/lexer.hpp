// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kerntune::expr::detail {

struct Token {
  enum class Kind : std::uint8_t { end, integer, real, string, name, symbol };
  Kind kind = Kind::end;
  std::string_view text;      // as written
  std::size_t offset = 0;     // in the whole text
  std::uint64_t integer = 0;  // of an integer; 2^63 is allowed for the sake of -2^63
  double real = 0;            // of a real
  std::string string;         // of a string, escapes resolved

  bool is(std::string_view written) const noexcept {
    return (kind == Kind::name || kind == Kind::symbol) && text == written;
  }
  std::size_t end() const noexcept { return offset + text.size(); }
};

bool is_keyword(std::string_view name) noexcept;
bool is_identifier(std::string_view name) noexcept;

/// Cuts an expression into tokens. Errors: ExprError.
class Lexer {
 public:
  /// Borrows `text`.
  explicit Lexer(std::string_view text) noexcept : text_(text) {}
  Token next();

 private:
  Token number();
  Token based_integer(int base);
  std::size_t decimal_size() const;
  Token string();
  Token symbol();
  char escape(std::size_t backslash);
  Token take(Token::Kind kind, std::size_t size);
  [[noreturn]] void fail(const std::string& message, std::size_t offset, std::size_t length) const;
  char peek(std::size_t ahead = 0) const noexcept { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace kerntune::expr::detail
