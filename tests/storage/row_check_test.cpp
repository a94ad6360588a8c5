// SPDX-License-Identifier: Apache-2.0
#include "row_check.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kerntune::storage {
namespace {

// Made with an independent implementation of the description in docs/cache-format.md.
TEST(RowCheck, MatchesAnIndependentImplementation) {
  EXPECT_EQ(static_cast<std::uint64_t>(RowCheck().value()), 0u);
  EXPECT_EQ(static_cast<std::uint64_t>(RowCheck().add(std::string_view("foobar")).value()), 0xe3533a76230a9639u);
  EXPECT_EQ(static_cast<std::uint64_t>(
                RowCheck().add(std::string_view("block_x=128,tile=4")).add(std::int64_t{-3}).add(20.5).value()),
            0x2fc47b019241c09eu);
}

TEST(RowCheck, ChangesWithEverySingleBit) {
  std::string text = "block_x=128,tile=4";
  const auto original = RowCheck().add(text).value();
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(RowCheck().add(text).value(), original) << bit;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
  }
}

TEST(RowCheck, TellsWhereAFieldEnds) {
  EXPECT_NE(RowCheck().add(std::string_view("ab")).add(std::string_view("c")).value(),
            RowCheck().add(std::string_view("a")).add(std::string_view("bc")).value());
}

TEST(RowCheck, TellsZeroFromOneButNotFromMinusZero) {
  EXPECT_NE(RowCheck().add(0.0).value(), RowCheck().add(1.0).value());
  EXPECT_EQ(RowCheck().add(0.0).value(), RowCheck().add(-0.0).value());
}

}  // namespace
}  // namespace kerntune::storage
