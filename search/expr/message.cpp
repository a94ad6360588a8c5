// SPDX-License-Identifier: Apache-2.0
#include "message.hpp"

#include <algorithm>

namespace kerntune::expr::detail {
namespace {

// Long lines are cut around the place, so that a message stays readable whatever the input was.
constexpr std::size_t kContext = 60;

std::string printable(std::string_view text) {
  std::string out(text);
  std::replace_if(out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return out;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "'";
  out += text;
  out += '\'';
  return out;
}

std::string with_caret(std::string_view message, std::string_view text, std::size_t offset, std::size_t length) {
  offset = std::min(offset, text.size());
  const std::size_t line = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;  // npos + 1 is 0
  const std::size_t line_end = std::min(text.find('\n', offset), text.size());
  const std::size_t begin = offset - line > kContext ? offset - kContext : line;
  const std::size_t end = std::min(line_end, offset + kContext);
  const std::size_t marked = std::clamp<std::size_t>(length, 1, std::max<std::size_t>(end - offset, 1));

  std::string out(message);
  out += "\n  ";
  out += begin > line ? "..." : "";
  out += printable(text.substr(begin, end - begin));
  out += end < line_end ? "..." : "";
  out += "\n  ";
  out.append(offset - begin + (begin > line ? 3 : 0), ' ');
  out += '^';
  out.append(marked - 1, '~');
  return out;
}

}  // namespace kerntune::expr::detail
