// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <gmock/gmock.h>

#include <kerntune/core/errors.hpp>

namespace kerntune::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Values {
  std::string kernel, db;
  std::vector<std::string> dims;
  std::uint64_t seed = 1;
  bool quiet = false;

  Verb verb() {
    return {.name = "tune",
            .options = {{.names = "KERNEL", .target = &kernel, .required = true},
                        {.names = "--dim", .value = "N=V", .target = &dims},
                        {.names = "--db", .value = "FILE", .target = &db},
                        {.names = "--seed", .value = "N", .target = &seed},
                        {.names = "-q,--quiet", .target = &quiet}}};
  }
};

std::string usage_error(Values& values, const std::vector<std::string>& words) {
  try {
    parse(values.verb(), words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Parser, FillsTheTargets) {
  Values values;
  const Invocation invocation =
      parse(values.verb(), {"--dim", "a=1", "sgemm", "--dim=b=2", "--seed", "7", "-q", "--json", "--db", "x.db"});
  EXPECT_TRUE(invocation.json);
  EXPECT_EQ(values.kernel, "sgemm");
  EXPECT_THAT(values.dims, ElementsAre("a=1", "b=2"));
  EXPECT_EQ(values.seed, 7U);
  EXPECT_TRUE(values.quiet);
  EXPECT_EQ(values.db, "x.db");
}

TEST(Parser, LeavesDefaultsAlone) {
  Values values;
  parse(values.verb(), {"sgemm"});
  EXPECT_EQ(values.seed, 1U);
  EXPECT_FALSE(values.quiet);
  EXPECT_THAT(values.dims, IsEmpty());
}

TEST(Parser, LetsHelpWinOverEverything) {
  Values values;
  EXPECT_TRUE(parse(values.verb(), {"--nonsense", "--help"}).help);
  EXPECT_TRUE(parse(values.verb(), {"-h"}).help);
}

TEST(Parser, SuggestsANearOption) {
  Values values;
  EXPECT_EQ(usage_error(values, {"sgemm", "--sede", "7"}),
            "tune: unknown option '--sede' (did you mean '--seed'?); 'kerntune tune --help' lists the options");
}

TEST(Parser, ReportsAnUnknownOptionBeforeWhatIsMissingBecauseOfIt) {
  Values values;
  EXPECT_THAT(usage_error(values, {"--kernel", "sgemm"}), HasSubstr("unknown option '--kernel'"));
}

TEST(Parser, NamesWhatIsMissing) {
  Values values;
  EXPECT_THAT(usage_error(values, {}), HasSubstr("tune KERNEL is missing"));
}

TEST(Parser, RefusesMoreThanWasAskedFor) {
  Values values;
  EXPECT_THAT(usage_error(values, {"sgemm", "axpy"}), HasSubstr("'axpy' was not expected"));
  EXPECT_THAT(usage_error(values, {"sgemm", "--db", "a", "--db", "b"}),
              HasSubstr("tune --db was given 2 times (a, b)"));
}

TEST(Parser, RefusesAnOptionWithoutItsValue) {
  Values values;
  EXPECT_THAT(usage_error(values, {"sgemm", "--db"}), HasSubstr("--db"));
}

TEST(Parser, TakesNoOptionForTheValueOfOneThatWasLeftEmpty) {
  Values values;
  EXPECT_EQ(usage_error(values, {"sgemm", "--db=", "--json"}), "tune --db: expected a value after '=', found nothing");
  EXPECT_EQ(usage_error(values, {"sgemm", "--db="}), "tune --db: expected a value after '=', found nothing");
}

TEST(Parser, TakesNoEmptyWordForAbsence) {
  // Shell variables that are not set: "--db $db" must not come to mean the default store.
  Values values;
  EXPECT_EQ(usage_error(values, {"sgemm", "--db", ""}), "tune --db: expected a value, found an empty word");
  EXPECT_EQ(usage_error(values, {"sgemm", "--dim", "a=1", "--dim", ""}),
            "tune --dim: expected a value, found an empty word");
  EXPECT_EQ(usage_error(values, {""}), "tune KERNEL: expected a value, found an empty word");
}

TEST(Parser, TakesDashedValuesAndPositionalsAfterTwoDashes) {
  Values values;
  parse(values.verb(), {"--dim", "a=-1", "--", "--odd-name"});
  EXPECT_EQ(values.kernel, "--odd-name");
}

}  // namespace
}  // namespace kerntune::app
