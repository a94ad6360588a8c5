// SPDX-License-Identifier: Apache-2.0
#include <kerntune/search/param_space.hpp>

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "param_space_support.hpp"

namespace kerntune::search {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(std::vector<Param> params, const std::vector<std::string>& constraints = {}) {
  return space_error_of([&] { ParamSpace::build(std::move(params), constraints); });
}

TEST(ParamSpaceDefinition, RejectsDuplicateNames) {
  EXPECT_EQ(error_of({ints("a", {1}), ints("a", {2})}), "parameter name 'a' is already in use");
}

TEST(ParamSpaceDefinition, RejectsNamesThatExpressionsCannotUse) {
  EXPECT_THAT(error_of({ints("block-x", {1})}), StartsWith("parameter name 'block-x' is not an identifier"));
  EXPECT_THAT(error_of({ints("", {1})}), StartsWith("parameter name '' is not an identifier"));
  EXPECT_EQ(error_of({ints("in", {1})}), "parameter name 'in' is a reserved word");
}

TEST(ParamSpaceDefinition, RejectsParametersWithoutValues) {
  EXPECT_EQ(error_of({ints("a", {})}), "parameter 'a' has no values; give it at least one");
}

TEST(ParamSpaceDefinition, RejectsRepeatedValues) {
  EXPECT_EQ(error_of({ints("a", {4, 1, 4})}), "parameter 'a' has equal values: 4 and 4");
  EXPECT_EQ(error_of({{"s", {std::string("x"), std::string("x")}}}), "parameter 's' has equal values: x and x");
}

TEST(ParamSpaceDefinition, RejectsValuesThatExpressionsCannotTellApart) {
  EXPECT_THAT(error_of({{"a", {std::int64_t{1}, 2.0, true}}}), StartsWith("parameter 'a' has equal values: "));
  EXPECT_THAT(error_of({{"a", {1.0, std::int64_t{2}, std::int64_t{1}}}}),
              StartsWith("parameter 'a' has equal values: "));
}

TEST(ParamSpaceDefinition, AcceptsValuesOfMixedKinds) {
  EXPECT_EQ(error_of({{"a", {std::int64_t{2}, 2.5, true, std::string("2"), std::string("true")}}}), "");
}

TEST(ParamSpaceDefinition, RejectsValuesThatAreNotFinite) {
  EXPECT_EQ(error_of({{"a", {1.0, std::numeric_limits<double>::quiet_NaN()}}}),
            "parameter 'a' has a value that is not finite");
  EXPECT_EQ(error_of({{"a", {std::numeric_limits<double>::infinity()}}}),
            "parameter 'a' has a value that is not finite");
}

TEST(ParamSpaceDefinition, RejectsConstraintsThatDoNotCompile) {
  EXPECT_EQ(error_of({ints("a", {1})}, {"a > 0", "a < b"}),
            "constraint does not compile: unknown name 'b'; known names are a\n"
            "  a < b\n"
            "      ^");
}

TEST(ParamSpaceDefinition, RejectsCountsBeyond128Bits) {
  std::vector<Param> params;
  for (int i = 0; i < 16; ++i) {
    params.push_back(range("p" + std::to_string(i), 0, 255));
  }
  EXPECT_THAT(error_of(params), HasSubstr("more than 2^128 - 1 valid configurations"));
}

// Every combination of the first parameters has its own left side, so all would have to be told apart.
TEST(ParamSpaceDefinition, RejectsConstraintsThatCoupleTooMuch) {
  std::vector<Param> params;
  std::string number = "0";
  std::string squares = "0";
  for (int i = 0; i < 8; ++i) {
    const std::string name = "p" + std::to_string(i);
    params.push_back(range(name, 0, 99));
    number += " + " + name + " * 100 ** " + std::to_string(i);
    squares += " + " + name + " ** 2";
  }
  const std::string error = error_of(params, {number + " != " + squares});
  EXPECT_THAT(error, StartsWith("constraints couple too many parameters: with p"));
  EXPECT_THAT(error, HasSubstr(" chosen, more than 10"));
}

}  // namespace
}  // namespace kerntune::search
