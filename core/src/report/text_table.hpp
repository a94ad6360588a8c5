// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kerntune/core/report.hpp>

namespace kerntune::report {

/// Columns that a UTF-8 text takes on a terminal; our texts have no wide or combining characters.
std::size_t columns_of(std::string_view text) noexcept;
/// Cut to `columns`, with an ellipsis if anything was lost.
std::string clipped(std::string_view text, std::size_t columns, const Style& style);
/// Control characters replaced: what compilers and plugins say must not move the cursor.
std::string printable(std::string_view text);
/// The first line of a message that says something.
std::string first_line(std::string_view text);
enum class Ink { plain, bold, dim, good, bad, warn };
std::string inked(std::string_view text, Ink ink, const Style& style);

/// Appends "  name        value\n", the name dim and `columns` wide; nothing for an empty value.
void add_line(std::string& out, std::string_view name, const std::string& value, const Style& style,
              std::size_t columns = 10);

enum class Align { left, right };

/// Rows of cells under headings, columns as wide as their widest cell, two blanks between.
class TextTable {
 public:
  void column(std::string heading, Align align = Align::left) { columns_.push_back({std::move(heading), align}); }
  struct Cell {
    std::string text;
    Ink ink = Ink::plain;
  };
  /// Requires: as many cells as columns.
  void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const noexcept { return rows_.empty(); }

  /// Columns the table takes, indent included.
  std::size_t width(std::size_t indent) const;
  /// As a table if it fits style.width, else one "heading  value" line per cell, a blank line between rows.
  std::string text(std::size_t indent, const Style& style) const;

 private:
  struct Column {
    std::string heading;
    Align align;
  };
  std::vector<std::size_t> widths() const;
  std::string as_table(std::size_t indent, const Style& style) const;
  std::string as_list(std::size_t indent, const Style& style) const;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace kerntune::report
