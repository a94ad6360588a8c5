// SPDX-License-Identifier: Apache-2.0
#include "message.hpp"

#include <algorithm>

#include "functions.hpp"

namespace kerntune::expr::detail {
namespace {

// Long lines are cut around the place, so that a message stays readable whatever the input was.
constexpr std::size_t kContext = 60;
constexpr std::size_t kMaxNamesListed = 16;

std::string printable(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(out, [](char c) { return c < ' ' || c > '~'; }, '?');
  return out;
}

std::string known_names(const Symbols& symbols) {
  if (symbols.size() == 0) {
    return "no names are known here";
  }
  std::string out = "known names are ";
  for (std::size_t slot = 0; slot < std::min(symbols.size(), kMaxNamesListed); ++slot) {
    out += (slot == 0 ? "" : ", ") + symbols.name(slot);
  }
  return symbols.size() > kMaxNamesListed ? out + ", ..." : out;
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

std::string advice_on_unknown_name(std::string_view name, const Symbols& symbols) {
  if (name == "true" || name == "false") {
    return name == "true" ? "write True" : "write False";
  }
  if (find_function(name) != nullptr) {
    return "it is a function: write " + std::string(name) + "(...)";
  }
  return known_names(symbols);
}

}  // namespace kerntune::expr::detail
