// SPDX-License-Identifier: Apache-2.0
#include "lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <kerntune/expr/expression.hpp>

#include "message.hpp"

namespace kerntune::expr::detail {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) noexcept { return is_letter(c) || is_digit(c); }
bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

constexpr std::array kKeywords = {"and", "or", "not", "in", "if", "else", "True", "False", "None", "is", "lambda"};

// Longest first, so that the first match is the right one.
constexpr std::array kSymbols = {"**", "//", "<=", ">=", "==", "!=", "+", "-", "*",
                                 "/",  "%",  "<",  ">",  "(",  ")",  "[", "]", ","};

struct Mistake {
  std::string_view written;
  const char* advice;
};

// What people used to C or to full Python write.
constexpr Mistake kMistakes[] = {
    {"&&", "'&&' is not an operator here; write 'and'"},
    {"||", "'||' is not an operator here; write 'or'"},
    {"<<", "bit operators are not supported; write a * pow2(n) for a << n"},
    {">>", "bit operators are not supported; write a // pow2(n) for a >> n"},
    {"&", "bit operators are not supported; write 'and' for a logical and, a % pow2(n) for a mask"},
    {"|", "bit operators are not supported; write 'or' for a logical or"},
    {"^", "bit operators are not supported; write ** for a power"},
    {"~", "bit operators are not supported; write 'not' for a logical not"},
    {"!", "'!' is not an operator here; write 'not'"},
    {"=", "assignment is not supported; write == to compare"},
    {"?", "'?' is not an operator here; write 'a if condition else b'"},
    {"{", "sets and dictionaries are not supported; write a tuple (1, 2) or a list [1, 2]"},
    {".", "attributes are not supported; write 'ceil(x)' for 'math.ceil(x)'"},
    {"#", "comments are not supported"},
};

// Python lets single underscores separate digits.
std::string without_underscores(std::string_view digits) {
  std::string out(digits);
  std::erase(out, '_');
  return out;
}

bool underscores_separate_digits(std::string_view text) noexcept {
  return text.back() != '_' && text.find("__") == std::string_view::npos && text.find("_.") == std::string_view::npos &&
         text.find("._") == std::string_view::npos && text.find("_e") == std::string_view::npos &&
         text.find("_E") == std::string_view::npos;
}

}  // namespace

bool is_keyword(std::string_view name) noexcept { return std::ranges::find(kKeywords, name) != kKeywords.end(); }

bool is_identifier(std::string_view name) noexcept {
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, is_word);
}

void Lexer::fail(const std::string& message, std::size_t offset, std::size_t length) const {
  throw ExprError(with_caret(message, text_, offset, length), offset);
}

Token Lexer::take(Token::Kind kind, std::size_t size) {
  Token token;
  token.kind = kind;
  token.text = text_.substr(at_, size);
  token.offset = at_;
  at_ += size;
  return token;
}

Token Lexer::next() {
  while (is_space(peek())) {
    ++at_;
  }
  if (at_ == text_.size()) {
    return take(Token::Kind::end, 0);
  }
  if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
    return number();
  }
  if (peek() == '\'' || peek() == '"') {
    return string();
  }
  if (is_letter(peek())) {
    const auto rest = text_.substr(at_);
    const auto end = std::ranges::find_if_not(rest, is_word);
    return take(Token::Kind::name, static_cast<std::size_t>(end - rest.begin()));
  }
  return symbol();
}

Token Lexer::based_integer(int base) {
  std::size_t size = 2;
  while (is_word(peek(size))) {
    ++size;
  }
  Token token = take(Token::Kind::integer, size);
  const std::string digits = without_underscores(token.text.substr(2));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), token.integer, base);
  if (error == std::errc::result_out_of_range || (error == std::errc() && token.integer > INT64_MAX)) {
    fail("integer does not fit in 64 bits", token.offset, size);
  }
  if (error != std::errc() || end != digits.data() + digits.size() || !underscores_separate_digits(token.text)) {
    fail("malformed number", token.offset, size);
  }
  return token;
}

// How far a decimal number reaches, with all letters that stand at its end, so that 5x is one malformed number.
std::size_t Lexer::decimal_size() const {
  std::size_t size = 0;
  while (is_word(peek(size)) || peek(size) == '.') {
    const bool exponent = (peek(size) | 0x20) == 'e';
    size += exponent && (peek(size + 1) == '+' || peek(size + 1) == '-') ? 2 : 1;
  }
  return size;
}

Token Lexer::number() {
  const char marker = static_cast<char>(peek(1) | 0x20);
  if (peek() == '0' && (marker == 'x' || marker == 'o' || marker == 'b')) {
    return based_integer(marker == 'x' ? 16 : marker == 'o' ? 8 : 2);
  }
  Token token = take(Token::Kind::integer, decimal_size());
  if (token.text.find_first_of(".eE") != std::string_view::npos) {
    token.kind = Token::Kind::real;
  }
  const bool real = token.kind == Token::Kind::real;
  const std::string digits = without_underscores(token.text);
  const char* const last = digits.data() + digits.size();
  const auto [end, error] =
      real ? std::from_chars(digits.data(), last, token.real) : std::from_chars(digits.data(), last, token.integer);
  if (end != last || !underscores_separate_digits(token.text)) {
    fail("malformed number", token.offset, token.text.size());
  }
  if (!real && digits.front() == '0' && token.integer != 0) {
    fail("malformed number: leading zeros are not allowed", token.offset, token.text.size());
  }
  if (error != std::errc() || token.integer > std::uint64_t{1} << 63) {
    fail(real ? "number is outside the range of reals" : "integer does not fit in 64 bits", token.offset,
         token.text.size());
  }
  return token;
}

char Lexer::escape(std::size_t backslash) {
  const char c = backslash + 1 < text_.size() ? text_[backslash + 1] : '\0';
  switch (c) {
    case '\\':
    case '\'':
    case '"':
      return c;
    case 'n':
      return '\n';
    case 't':
      return '\t';
    default:
      fail(R"(unknown escape in a string; known are \\ \' \" \n \t)", backslash, 2);
  }
}

Token Lexer::string() {
  const char quote = peek();
  std::string value;
  std::size_t at = at_ + 1;
  for (; at < text_.size() && text_[at] != quote && text_[at] != '\n'; ++at) {
    const bool escaped = text_[at] == '\\';
    value += escaped ? escape(at) : text_[at];
    at += escaped ? 1 : 0;
  }
  if (at >= text_.size() || text_[at] != quote) {
    fail("string has no closing quote", at_, at - at_);
  }
  Token token = take(Token::Kind::string, at + 1 - at_);
  token.string = std::move(value);
  return token;
}

Token Lexer::symbol() {
  const auto rest = text_.substr(at_);
  for (const Mistake& mistake : kMistakes) {
    const bool means_comparison = rest.starts_with("==") || rest.starts_with("!=");
    if (!means_comparison && rest.starts_with(mistake.written)) {
      fail(mistake.advice, at_, mistake.written.size());
    }
  }
  for (const std::string_view known : kSymbols) {
    if (rest.starts_with(known)) {
      return take(Token::Kind::symbol, known.size());
    }
  }
  fail("unexpected character", at_, 1);
}

}  // namespace kerntune::expr::detail
