// SPDX-License-Identifier: Apache-2.0
#include <kerntune/search/param_space.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "param_space_support.hpp"

namespace kerntune::search {
namespace {

ParamSpace sample_space() {
  return ParamSpace::build({ints("block_x", {32, 64, 128}),
                            {"precision", {std::string("fp16"), std::string("a,b=\"c\"")}},
                            {"scale", {0.5, 1.0}},
                            {"vector", {false, true}},
                            ints("fixed", {7})},
                           {"block_x != 64 or vector"});
}

std::string error_of(std::string_view text) {
  return space_error_of([&] { static_cast<void>(sample_space().parse(text)); });
}

TEST(ParamSpaceText, ListsValuesInDeclaredOrder) {
  EXPECT_EQ(sample_space().text({2, 0, 1, 1, 0}), "block_x=128,precision=fp16,scale=1.0,vector=true,fixed=7");
}

TEST(ParamSpaceText, ReadsBackWhatItPrints) {
  const ParamSpace space = sample_space();
  for (Count index = 0; index < space.count(); ++index) {
    const Config config = space.at(index);
    EXPECT_EQ(space.parse(space.text(config)), config) << space.text(config);
  }
}

TEST(ParamSpaceText, ReadsAnyOrderAndSpaces) {
  EXPECT_EQ(sample_space().parse(" vector = true , scale=1.0,fixed=7,\n precision=fp16,block_x=64 "),
            (Config{1, 0, 1, 1, 0}));
}

TEST(ParamSpaceText, MayLeaveOutParametersWithOneValue) {
  EXPECT_EQ(sample_space().parse("block_x=64,precision=fp16,scale=0.5,vector=true"), (Config{1, 0, 0, 1, 0}));
}

TEST(ParamSpaceText, TakesWhatIsLeftOutFromAnotherConfiguration) {
  const ParamSpace space = sample_space();
  const Config rest{2, 1, 0, 1, 0};
  EXPECT_EQ(space.parse("scale=1.0,block_x=32", rest), (Config{0, 1, 1, 1, 0}));
  EXPECT_EQ(space.parse("", rest), rest);
  EXPECT_EQ(space_error_of([&] { static_cast<void>(space.parse("blokc_x=32", rest)); }),
            "configuration: unknown parameter 'blokc_x'; the parameters are block_x, precision, scale, vector, fixed");
}

TEST(ParamSpaceText, ReadsOtherSpellingsOfTheSameValue) {
  EXPECT_EQ(sample_space().parse("block_x=64.0,precision=fp16,scale=1,vector=True"), (Config{1, 0, 1, 1, 0}));
  EXPECT_EQ(sample_space().parse("block_x=64,precision=fp16,scale=5e-1,vector=False"), (Config{1, 0, 0, 0, 0}));
}

TEST(ParamSpaceText, ReadsConfigurationsThatViolateConstraints) {
  const ParamSpace space = sample_space();
  EXPECT_FALSE(space.contains(space.parse("block_x=64,precision=fp16,scale=0.5,vector=false")));
}

TEST(ParamSpaceText, NamesTheValuesThatAParameterMayTake) {
  EXPECT_EQ(error_of("block_x=48"), "configuration: parameter 'block_x' has no value '48'; its values are 32, 64, 128");
  EXPECT_EQ(error_of("precision=fp64"),
            "configuration: parameter 'precision' has no value 'fp64'; its values are fp16, \"a,b=\\\"c\\\"\"");
  EXPECT_EQ(error_of("vector=1"), "configuration: parameter 'vector' has no value '1'; its values are false, true");
}

TEST(ParamSpaceText, NamesUnknownParameters) {
  EXPECT_EQ(error_of("block_y=1"),
            "configuration: unknown parameter 'block_y'; the parameters are block_x, precision, scale, vector, fixed");
}

TEST(ParamSpaceText, NamesMissingParameters) {
  EXPECT_EQ(error_of("block_x=64,precision=fp16,vector=true"),
            "configuration: parameter 'scale' is missing; its values are 0.5, 1.0");
  EXPECT_EQ(error_of(""), "configuration: parameter 'block_x' is missing; its values are 32, 64, 128");
}

TEST(ParamSpaceText, RefusesRepeatedAndMalformedEntries) {
  EXPECT_EQ(error_of("block_x=64,block_x=64"), "configuration: parameter 'block_x' is given twice");
  EXPECT_EQ(error_of("block_x"), "configuration: expected name=value, found 'block_x'");
  EXPECT_EQ(error_of("block_x=64,,scale=1"), "configuration: expected name=value, found ''");
  EXPECT_EQ(error_of("block_x="), "configuration: parameter 'block_x' has no value ''; its values are 32, 64, 128");
}

TEST(ParamSpaceText, CutsLongListsOfValues) {
  const ParamSpace space = ParamSpace::build({range("a", 1, 100)}, {});
  EXPECT_THAT(space_error_of([&] { static_cast<void>(space.parse("a=0")); }), testing::EndsWith(", 31, 32, ..."));
}

}  // namespace
}  // namespace kerntune::search
