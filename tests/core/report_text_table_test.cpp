// SPDX-License-Identifier: Apache-2.0
#include "report/text_table.hpp"

#include <gtest/gtest.h>

namespace kerntune::report {
namespace {

TextTable two_columns() {
  TextTable table;
  table.column("name");
  table.column("time", Align::right);
  table.row({{"a"}, {"1 µs"}});
  table.row({{"longer"}, {"100 µs"}});
  return table;
}

TEST(TextTable, AlignsColumnsByCharactersNotBytes) {
  EXPECT_EQ(two_columns().text(2, {.width = 80}),
            "  name      time\n"
            "  a         1 µs\n"
            "  longer  100 µs\n");
}

TEST(TextTable, BecomesAListWhereItDoesNotFit) {
  EXPECT_EQ(two_columns().text(0, {.width = 10}),
            "name  a\ntime  1 µs\n"
            "\n"
            "name  longer\ntime  100 µs\n");
}

TEST(TextTable, ColoursOnlyWhereAskedTo) {
  TextTable table;
  table.column("x");
  table.row({{"1", Ink::good}});
  EXPECT_EQ(table.text(0, {.colour = false}), "x\n1\n");
  EXPECT_EQ(table.text(0, {.colour = true}), "\x1b[2mx\x1b[0m\n\x1b[32m1\x1b[0m\n");
}

TEST(Clipped, CountsCharactersAndMarksTheCut) {
  EXPECT_EQ(clipped("µµµµ", 4, {}), "µµµµ");
  EXPECT_EQ(clipped("µµµµµ", 4, {}), "µµµ…");
  EXPECT_EQ(clipped("abcdef", 5, {.utf8 = false}), "ab...");
}

TEST(Wrapped, BreaksAtBlanksAndIndents) {
  EXPECT_EQ(wrapped("one two three four five six seven", 2, {.width = 22}), "  one two three four\n  five six seven\n");
}

TEST(FirstLine, SkipsBlankLinesAndTakesControlCharactersOut) {
  EXPECT_EQ(first_line("\n  \n  \x1b[31merror\x1b[0m: x\nmore"), "[31merror [0m: x");
  EXPECT_EQ(first_line(""), "");
}

}  // namespace
}  // namespace kerntune::report
