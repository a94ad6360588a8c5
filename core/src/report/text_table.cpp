// SPDX-License-Identifier: Apache-2.0
#include "text_table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace kerntune::report {
namespace {

bool continues_character(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, columns_of(text)), ' ');
  return align == Align::left ? text + blanks : blanks + text;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::size_t columns_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !continues_character(byte); }));
}

std::string clipped(std::string_view text, std::size_t columns, const Style& style) {
  if (columns_of(text) <= columns) return std::string(text);
  const std::string_view ellipsis = style.utf8 ? "…" : "...";
  std::size_t left = columns - std::min(columns, columns_of(ellipsis));
  std::size_t end = 0;
  while (end < text.size()) {
    if (!continues_character(text[end]) && left-- == 0) break;
    ++end;
  }
  return std::string(text.substr(0, end)) + std::string(ellipsis);
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& byte : out)
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = ' ';
  return out;
}

std::string first_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line = printable(text.substr(0, end));
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (!line.empty()) return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::string wrapped(std::string_view text, std::size_t indent, const Style& style) {
  const std::size_t width = std::max<std::size_t>(indent + 20, static_cast<std::size_t>(std::max(style.width, 20)));
  std::string out, line;
  const auto flush = [&] {
    if (!line.empty()) out += std::string(indent, ' ') + line + '\n';
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && indent + columns_of(line) + 1 + columns_of(word) > width) flush();
    if (!word.empty()) line += (line.empty() ? "" : " ") + std::string(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  flush();
  return out;
}

std::string inked(std::string_view text, Ink ink, const Style& style) {
  if (!style.colour || ink == Ink::plain || text.empty()) return std::string(text);
  const std::string_view code = ink == Ink::bold   ? "1"
                                : ink == Ink::dim  ? "2"
                                : ink == Ink::good ? "32"
                                : ink == Ink::bad  ? "31"
                                                   : "33";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void add_line(std::string& out, std::string_view name, const std::string& value, const Style& style,
              std::size_t columns) {
  if (!value.empty())
    out += fmt::format("  {}  {}\n", inked(fmt::format("{:<{}}", name, columns), Ink::dim, style), value);
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = columns_of(columns_[i].heading);
    for (const auto& row : rows_) width = std::max(width, columns_of(row[i].text));
    widths.push_back(width);
  }
  return widths;
}

std::size_t TextTable::width(std::size_t indent) const {
  std::size_t total = indent;
  for (const std::size_t width : widths()) total += width + 2;
  return total - std::min<std::size_t>(total, 2);
}

std::string TextTable::text(std::size_t indent, const Style& style) const {
  const bool fits = width(indent) <= static_cast<std::size_t>(std::max(style.width, 0));
  return fits ? as_table(indent, style) : as_list(indent, style);
}

std::string TextTable::as_table(std::size_t indent, const Style& style) const {
  const std::vector<std::size_t> width = widths();
  std::string out(indent, ' ');
  std::string heading;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    heading += (i == 0 ? "" : "  ") + padded(columns_[i].heading, width[i], columns_[i].align);
  out += inked(without_trailing_blanks(heading), Ink::dim, style) + '\n';
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i)
      line += (i == 0 ? "" : "  ") + inked(padded(row[i].text, width[i], columns_[i].align), row[i].ink, style);
    out += without_trailing_blanks(line) + '\n';
  }
  return out;
}

std::string TextTable::as_list(std::size_t indent, const Style& style) const {
  std::size_t width = 0;
  for (const Column& column : columns_) width = std::max(width, columns_of(column.heading));
  std::string out;
  for (const auto& row : rows_) {
    if (!out.empty()) out += '\n';
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (row[i].text.empty()) continue;
      out += std::string(indent, ' ') + inked(padded(columns_[i].heading, width, Align::left), Ink::dim, style) + "  " +
             inked(row[i].text, row[i].ink, style) + '\n';
    }
  }
  return out;
}

}  // namespace kerntune::report
