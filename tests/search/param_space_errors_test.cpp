// SPDX-License-Identifier: Apache-2.0
#include <kerntune/search/param_space.hpp>

#include <gtest/gtest.h>

#include "param_space_support.hpp"

namespace kerntune::search {
namespace {

TEST(EvaluationErrors, RejectTheCombinationAndAreCounted) {
  const ParamSpace space = ParamSpace::build({ints("KWG", {16, 32}), ints("X", {0, 3, 4})}, {"KWG % X == 0"});
  EXPECT_EQ(to_string(space.count()), "2");
  EXPECT_EQ(space.evaluation_errors().count, 2U);
}

TEST(EvaluationErrors, ShowTheFirstOneWithItsValues) {
  const ParamSpace space = ParamSpace::build({ints("KWG", {16, 32}), ints("X", {4, 0})}, {"KWG % X == 0"});
  EXPECT_EQ(space.evaluation_errors().first,
            "division by zero in 'KWG % X' at KWG=16, X=0\n"
            "  KWG % X == 0\n"
            "      ^");
}

TEST(EvaluationErrors, ShowTheConstraintThatFailedAmongSharedParts) {
  const ParamSpace space =
      ParamSpace::build({ints("a", {8}), ints("b", {1, 0}), ints("c", {1, 2})}, {"c < 2 or b < 2", "3 < c + a // b"});
  EXPECT_EQ(space.evaluation_errors().first,
            "division by zero in 'a // b' at a=8, b=0\n"
            "  3 < c + a // b\n"
            "            ^");
}

TEST(EvaluationErrors, DoNotHappenWherePythonSkips) {
  for (const char* guarded : {"X == 0 or KWG % X == 0", "X != 0 and KWG % X == 0", "KWG % X == 0 if X else True"}) {
    SCOPED_TRACE(guarded);
    const ParamSpace space = ParamSpace::build({ints("KWG", {16, 32}), ints("X", {0, 4})}, {guarded});
    EXPECT_EQ(space.evaluation_errors().count, 0U);
    EXPECT_EQ(space.evaluation_errors().first, "");
  }
}

TEST(EvaluationErrors, DoNotHappenWhereAnotherConstraintRejectsTheValue) {
  const ParamSpace space = ParamSpace::build({ints("KWG", {16}), ints("X", {0, 4})}, {"KWG % X == 0", "X > 0"});
  EXPECT_EQ(space.evaluation_errors().count, 0U);
}

TEST(EvaluationErrors, OfOneParameterAreFound) {
  const ParamSpace space = ParamSpace::build({ints("a", {0, 1, 2}), ints("b", {1, 2})}, {"4 // a >= 2"});
  EXPECT_EQ(to_string(space.count()), "4");
  EXPECT_EQ(space.evaluation_errors().count, 1U);
  EXPECT_EQ(space.evaluation_errors().first,
            "division by zero in '4 // a' at a=0\n"
            "  4 // a >= 2\n"
            "    ^");
}

// The sub-expression fails long before it is known whether it matters.
TEST(EvaluationErrors, WaitForWhatDecidesWhetherTheyMatter) {
  const ParamSpace space = ParamSpace::build({ints("a", {0, 1}), ints("b", {0, 1}), ints("c", {0, 1})},
                                             {"a * b >= 0", "c == 0 or 1 // (a * b) > 0"});
  EXPECT_EQ(to_string(space.count()), "5");
  EXPECT_GT(space.evaluation_errors().count, 0U);
}

TEST(EvaluationErrors, IncludeOverflowAndTypes) {
  const ParamSpace space = ParamSpace::build({{"a", {INT64_MAX, std::int64_t{1}, std::string("s")}}}, {"a + 1 > 0"});
  EXPECT_EQ(to_string(space.count()), "1");
  EXPECT_EQ(space.evaluation_errors().count, 2U);
}

}  // namespace
}  // namespace kerntune::search
