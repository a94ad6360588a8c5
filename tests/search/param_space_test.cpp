// SPDX-License-Identifier: Apache-2.0
#include <kerntune/search/param_space.hpp>

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "param_space_support.hpp"

namespace kerntune::search {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Config> all_of(const ParamSpace& space) {
  std::vector<Config> out;
  for (Count index = 0; index < space.count(); ++index) {
    out.push_back(space.at(index));
  }
  return out;
}

TEST(ParamSpace, HoldsTheProductWithoutConstraints) {
  const ParamSpace space = ParamSpace::build({ints("a", {1, 2, 3}), ints("b", {5, 6})}, {});
  EXPECT_EQ(to_string(space.count()), "6");
  EXPECT_EQ(space.product(), 6);
  EXPECT_FALSE(space.empty());
  const auto all = all_of(space);
  EXPECT_EQ(std::set<Config>(all.begin(), all.end()).size(), 6U);
}

TEST(ParamSpace, HoldsOneEmptyConfigurationWithoutParameters) {
  const ParamSpace space = ParamSpace::build({}, {});
  EXPECT_EQ(to_string(space.count()), "1");
  EXPECT_THAT(space.at(0), IsEmpty());
  EXPECT_EQ(space.text({}), "");
  EXPECT_TRUE(space.contains({}));
}

TEST(ParamSpace, KeepsWhatSatisfiesAllConstraints) {
  const ParamSpace space =
      ParamSpace::build({ints("a", {1, 2, 3, 4}), ints("b", {1, 2, 3, 4})}, {"a % b == 0", "a * b <= 8", "a != 3"});
  std::set<std::string> texts;
  for (const Config& config : all_of(space)) {
    texts.insert(space.text(config));
  }
  EXPECT_EQ(texts, (std::set<std::string>{"a=1,b=1", "a=2,b=1", "a=2,b=2", "a=4,b=1", "a=4,b=2"}));
}

TEST(ParamSpace, IsEmptyIfAConstraintNeverHolds) {
  for (const char* never : {"a > 3", "False", "0", "a < b and b < a"}) {
    SCOPED_TRACE(never);
    const ParamSpace space = ParamSpace::build({ints("a", {1, 2}), ints("b", {1, 2})}, {never});
    EXPECT_TRUE(space.empty());
    EXPECT_FALSE(space.contains({0, 0}));
    EXPECT_THAT(space.neighbours({0, 0}, ParamSpace::Neighbourhood::hamming), IsEmpty());
  }
}

TEST(ParamSpace, IgnoresConstraintsThatAlwaysHold) {
  const ParamSpace space = ParamSpace::build({ints("a", {1, 2})}, {"True", "1 < 2", "a > 0", "'x'"});
  EXPECT_EQ(to_string(space.count()), "2");
}

TEST(ParamSpace, RefusesIndicesBeyondTheCount) {
  const ParamSpace space = ParamSpace::build({ints("a", {1, 2})}, {});
  EXPECT_THROW(static_cast<void>(space.at(2)), std::out_of_range);
}

TEST(ParamSpace, DoesNotContainForeignConfigurations) {
  const ParamSpace space = ParamSpace::build({ints("a", {1, 2}), ints("b", {1, 2})}, {"a <= b"});
  EXPECT_FALSE(space.contains({1, 0}));
  EXPECT_FALSE(space.contains({0}));
  EXPECT_FALSE(space.contains({0, 0, 0}));
  EXPECT_FALSE(space.contains({0, 2}));
  EXPECT_FALSE(space.contains({UINT32_MAX, 0}));
  EXPECT_TRUE(space.contains({0, 1}));
}

TEST(ParamSpace, ListsAdjacentNeighboursInDeclaredOrder) {
  const ParamSpace space = ParamSpace::build({ints("b", {1, 2, 3}), ints("a", {1, 2, 3})}, {"a + b != 3"});
  EXPECT_THAT(space.neighbours({1, 1}, ParamSpace::Neighbourhood::adjacent), ElementsAre(Config{2, 1}, Config{1, 2}));
}

TEST(ParamSpace, ListsHammingNeighboursInDeclaredOrder) {
  const ParamSpace space = ParamSpace::build({ints("b", {1, 2, 3}), ints("a", {1, 2, 3})}, {"a + b != 3"});
  EXPECT_THAT(space.neighbours({2, 1}, ParamSpace::Neighbourhood::hamming),
              ElementsAre(Config{1, 1}, Config{2, 0}, Config{2, 2}));
}

TEST(ParamSpace, ListsValidNeighboursOfInvalidConfigurations) {
  const ParamSpace space = ParamSpace::build({ints("a", {1, 2, 3}), ints("b", {1, 2, 3})}, {"a <= b"});
  EXPECT_THAT(space.neighbours({2, 1}, ParamSpace::Neighbourhood::adjacent), ElementsAre(Config{1, 1}, Config{2, 2}));
}

TEST(ParamSpace, BorrowsValuesInDeclaredOrder) {
  const ParamSpace space =
      ParamSpace::build({ints("a", {1, 2}), {"s", {std::string("fp16"), std::string("fp32")}}}, {});
  const auto values = space.values({1, 0});
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].integer(), 2);
  EXPECT_EQ(values[1].string().data(), std::get<std::string>(space.params()[1].values[0]).data());
}

TEST(ParamSpace, ConstrainsValuesOfAllKinds) {
  const ParamSpace space = ParamSpace::build({{"precision", {std::string("fp16"), std::string("fp32")}},
                                              {"scale", {0.5, 1.0, 2.0}},
                                              {"vector", {false, true}}},
                                             {"precision == 'fp32' or scale < 2", "vector or scale in (0.5, 2.0)"});
  std::set<std::string> texts;
  for (const Config& config : all_of(space)) {
    texts.insert(space.text(config));
  }
  EXPECT_EQ(texts,
            (std::set<std::string>{"precision=fp16,scale=0.5,vector=false", "precision=fp16,scale=0.5,vector=true",
                                   "precision=fp16,scale=1.0,vector=true", "precision=fp32,scale=0.5,vector=false",
                                   "precision=fp32,scale=0.5,vector=true", "precision=fp32,scale=1.0,vector=true",
                                   "precision=fp32,scale=2.0,vector=false", "precision=fp32,scale=2.0,vector=true"}));
}

// 4 / 2 is 2.0 in Python: equal to 2, but // and % of it are real.
TEST(ParamSpace, TellsEqualValuesOfDifferentKindsApart) {
  const ParamSpace space =
      ParamSpace::build({ints("a", {2, 4}), ints("b", {1, 2, 3})}, {"(a / 2 if a == 4 else a) * b % 3 == 1"});
  EXPECT_EQ(space.text(space.at(0)), "a=2,b=2");
  EXPECT_EQ(space.text(space.at(1)), "a=4,b=2");
  EXPECT_EQ(to_string(space.count()), "2");
}

TEST(ParamSpace, OrdersIndicesByTheDefinitionOnly) {
  const auto build = [] {
    return ParamSpace::build({ints("a", {1, 2, 3}), ints("b", {1, 2, 3}), ints("c", {1, 2, 3})},
                             {"a * c <= 6", "b != c"});
  };
  EXPECT_EQ(all_of(build()), all_of(build()));
}

TEST(ParamSpace, IsSharedByCopies) {
  ParamSpace copy = ParamSpace::build({}, {});
  {
    const ParamSpace original = ParamSpace::build({ints("a", {1, 2, 3})}, {"a != 2"});
    copy = original;
  }
  EXPECT_EQ(copy.text(copy.at(1)), "a=3");
}

TEST(ToString, PrintsAllOf128Bits) {
  EXPECT_EQ(to_string(Count{0}), "0");
  EXPECT_EQ(to_string(Count{10}), "10");
  EXPECT_EQ(to_string(~Count{0}), "340282366920938463463374607431768211455");
}

}  // namespace
}  // namespace kerntune::search
