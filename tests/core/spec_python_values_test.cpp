// SPDX-License-Identifier: Apache-2.0
#include "spec/python_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace kerntune {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::string text_of(std::string_view text) {
  std::string out;
  for (const auto& value : python_values(text)) out += (out.empty() ? "" : " ") + expr::to_text(value);
  return out;
}

TEST(PythonValues, ReadsLists) {
  EXPECT_EQ(text_of("[16, 32, 64]"), "16 32 64");
  EXPECT_EQ(text_of(" ( 1, 2.5, 'a, [b' , True, ) "), "1 2.5 \"a, [b\" true");
  EXPECT_EQ(text_of("[2**3, 7 // 2, -1]"), "8 3 -1");
}

TEST(PythonValues, ReadsRanges) {
  EXPECT_EQ(text_of("range(3)"), "0 1 2");
  EXPECT_EQ(text_of("list(range(32, 64+1, 32))"), "32 64");
  EXPECT_EQ(text_of("range(3, 0, -1)"), "3 2 1");
  EXPECT_EQ(text_of("[1, 2] + list(range(4, 6))"), "1 2 4 5");
}

TEST(PythonValues, ReadsComprehensions) {
  EXPECT_EQ(text_of("[2**i for i in range(0, 6)]"), "1 2 4 8 16 32");
  EXPECT_EQ(text_of("[i for i in range(1, 10+1) if 10 % i == 0]"), "1 2 5 10");
  EXPECT_EQ(text_of("[3 * fork for fork in [1, 2]]"), "3 6");
}

TEST(PythonValues, SaysWhatItDoesNotUnderstand) {
  const auto reading = [](std::string_view text) { return [text] { python_values(text); }; };
  EXPECT_THAT(reading("np.arange(3)"), ThrowsMessage<std::invalid_argument>(HasSubstr("expected a list")));
  EXPECT_THAT(reading("[1, 2"), ThrowsMessage<std::invalid_argument>(HasSubstr("bracket is not closed")));
  EXPECT_THAT(reading("[1, 2]]"), ThrowsMessage<std::invalid_argument>(HasSubstr("bracket is not opened")));
  EXPECT_THAT(reading("['a]"), ThrowsMessage<std::invalid_argument>(HasSubstr("quote is not closed")));
  EXPECT_THAT(reading("[i*j for i in [1] for j in [2]]"), ThrowsMessage<std::invalid_argument>(HasSubstr("one 'for'")));
  EXPECT_THAT(reading("[1 / 0]"), ThrowsMessage<std::invalid_argument>(HasSubstr("division by zero")));
  EXPECT_THAT(reading("range(0, 5, 0)"), ThrowsMessage<std::invalid_argument>(HasSubstr("step is 0")));
  EXPECT_THAT(reading("[1,, 2]"), ThrowsMessage<std::invalid_argument>(HasSubstr("in ''")));
  EXPECT_THAT(reading(""), ThrowsMessage<std::invalid_argument>(HasSubstr("expected a list")));
  EXPECT_THAT(reading("list)"), ThrowsMessage<std::invalid_argument>(HasSubstr("bracket is not opened")));
}

TEST(PythonValues, BoundsTheirNumber) {
  EXPECT_THROW(python_values("range(9000000000000000000)"), std::invalid_argument);
  EXPECT_THROW(python_values("range(-9223372036854775807, 9223372036854775807, 100000000000000)"),
               std::invalid_argument);
}

}  // namespace
}  // namespace kerntune
