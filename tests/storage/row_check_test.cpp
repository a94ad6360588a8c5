// SPDX-License-Identifier: Apache-2.0
#include "row_check.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kerntune::storage {
namespace {

TEST(RowCheck, IsFnv1a) {
  // "foobar" of the FNV reference vectors, after its length as eight bytes; made with an independent implementation.
  EXPECT_EQ(static_cast<std::uint64_t>(RowCheck().add(std::string_view("foobar")).value()), 0xb277229a2d9d19f2u);
  EXPECT_EQ(static_cast<std::uint64_t>(RowCheck().value()), 0xcbf29ce484222325u);
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
