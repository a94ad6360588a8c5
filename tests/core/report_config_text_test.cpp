// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <kerntune/core/report.hpp>

namespace kerntune::report {
namespace {

using expr::Literal;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ParseConfigText, GivesTypedValuesInOrder) {
  EXPECT_THAT(parse_config_text("block_x=128,alpha=0.5,swizzle=true,precision=fp16"),
              ElementsAre(ConfigValue{"block_x", Literal(std::int64_t{128})}, ConfigValue{"alpha", Literal(0.5)},
                          ConfigValue{"swizzle", Literal(true)}, ConfigValue{"precision", Literal("fp16")}));
}

TEST(ParseConfigText, ReadsWhatToTextWrites) {
  for (const Literal& value :
       {Literal(std::int64_t{-3}), Literal(1e300), Literal(2.0), Literal(std::string("a,b=\"c\\")),
        Literal(std::string("true")), Literal(std::string(""))}) {
    SCOPED_TRACE(expr::to_text(value));
    EXPECT_THAT(parse_config_text("p=" + expr::to_text(value) + ",q=1"),
                ElementsAre(ConfigValue{"p", value}, ConfigValue{"q", Literal(std::int64_t{1})}));
  }
}

TEST(ParseConfigText, KeepsWhatItCanOfDamagedText) {
  EXPECT_THAT(parse_config_text(""), IsEmpty());
  EXPECT_THAT(parse_config_text("nothing"), IsEmpty());
  EXPECT_THAT(parse_config_text("a=1,b"), ElementsAre(ConfigValue{"a", Literal(std::int64_t{1})}));
  EXPECT_THAT(parse_config_text("a=\"open"), ElementsAre(ConfigValue{"a", Literal("open")}));
}

TEST(ChangesFrom, ListsOnlyParametersThatDiffer) {
  const auto changes = changes_from("a=1,b=2,c=3", "a=1,b=7,c=3");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].name, "b");
  EXPECT_EQ(changes[0].value, "2");
  EXPECT_EQ(changes[0].default_value, "7");
}

TEST(ChangesFrom, CountsEverythingAsChangedWithoutADefault) { EXPECT_EQ(changes_from("a=1,b=2", "").size(), 2U); }

}  // namespace
}  // namespace kerntune::report
