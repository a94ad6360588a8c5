// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

#include <limits>

#include <gmock/gmock.h>

#include <kerntune/core/errors.hpp>

namespace kerntune::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

template <typename Call>
std::string usage_error(Call call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParseBatches, SortsAndDropsRepetitions) {
  EXPECT_THAT(parse_batches("--batch", "64,1,8,64"), ElementsAre(1, 8, 64));
}

TEST(ParseBatches, RefusesWhatIsNoBatch) {
  for (const char* text : {"", "0", "-1", "1,,2", "1,x", "1.5", "99999999999999999999"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(usage_error([&] { parse_batches("tune --batch", text); }),
                HasSubstr("tune --batch: expected a whole number from 1 on, found '"));
  }
}

TEST(ParseBatches, SaysThatANumberIsTooLarge) {
  EXPECT_EQ(usage_error([] { parse_batches("tune --batch", "1,9223372036854775808"); }),
            "tune --batch: expected a whole number from 1 on, found '9223372036854775808', which does not fit 64 bits");
  EXPECT_EQ(usage_error([] { parse_batches("tune --batch", "9223372036854775808x"); }),
            "tune --batch: expected a whole number from 1 on, found '9223372036854775808x'");
}

TEST(ParseBatches, SaysThatAutoIsNotThereYet) {
  EXPECT_THAT(usage_error([] { parse_batches("tune --batch", "auto:1..4096"); }), HasSubstr("not there yet"));
}

TEST(ParseDims, TakesSeveralPerWord) {
  EXPECT_THAT(parse_dims("--dim", {"k=4096", "n=8,m=-2"}), ElementsAre(Pair("k", 4096), Pair("m", -2), Pair("n", 8)));
}

TEST(ParseDims, RefusesWhatIsNoSize) {
  EXPECT_THAT(usage_error([] { parse_dims("tune --dim", {"k"}); }), HasSubstr("expected name=value"));
  EXPECT_THAT(usage_error([] { parse_dims("tune --dim", {"=3"}); }), HasSubstr("expected name=value"));
  EXPECT_THAT(usage_error([] { parse_dims("tune --dim", {"k=big"}); }),
              HasSubstr("tune --dim k: expected a whole number, found 'big'"));
  EXPECT_THAT(usage_error([] { parse_dims("tune --dim", {"k=1", "k=2"}); }), HasSubstr("'k' is given twice"));
}

TEST(ParseBudget, TakesCountsTimesAndBoth) {
  EXPECT_EQ(parse_budget("--budget", "200").evaluations, 200);
  EXPECT_FALSE(parse_budget("--budget", "200").seconds.has_value());
  EXPECT_EQ(parse_budget("--budget", "90s").seconds, 90.0);
  EXPECT_EQ(parse_budget("--budget", "1.5m").seconds, 90.0);
  EXPECT_EQ(parse_budget("--budget", "1h").seconds, 3600.0);
  const Budget both = parse_budget("--budget", "200,5m");
  EXPECT_EQ(both.evaluations, 200);
  EXPECT_EQ(both.seconds, 300.0);
}

TEST(ParseBudget, RefusesWhatIsNoBudget) {
  for (const char* text : {"0", "-5", "0s", "-1m", "5x", "m", "1e400h", "nans", "infs", "200,"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(usage_error([&] { parse_budget("tune --budget", text); }),
                HasSubstr("expected a number of configurations"));
  }
}

TEST(ParseBudget, RefusesTimesThatNoClockCanHold) {
  for (const char* text : {"1e9s", "1e300h", "1e308h"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(usage_error([&] { parse_budget("tune --budget", text); }), HasSubstr("at most 100000000, found"));
  }
}

TEST(CheckSeconds, TakesWhatAClockCanHold) {
  for (const double seconds : {1e-3, 30.0, 1e8}) EXPECT_NO_THROW(check_seconds("run --timeout", seconds));
  for (const double seconds : {0.0, -1.0, 1.1e8, 1e300, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(usage_error([&] { check_seconds("run --timeout", seconds); }),
                HasSubstr("run --timeout: expected seconds above 0 and at most 100000000"));
}

TEST(Convert, StoresEachKindOfTarget) {
  std::uint64_t seed = 0;
  double seconds = 0;
  std::optional<std::int64_t> batch;
  convert("--seed", {.names = "--seed", .target = &seed}, "18446744073709551615");
  convert("--timeout", {.names = "--timeout", .target = &seconds}, "2.5");
  convert("--batch", {.names = "--batch", .target = &batch}, "-4");
  EXPECT_EQ(seed, UINT64_MAX);
  EXPECT_EQ(seconds, 2.5);
  EXPECT_EQ(batch, -4);
}

TEST(Convert, RefusesNumbersWithATail) {
  std::uint64_t seed = 0;
  EXPECT_EQ(usage_error([&] { convert("tune --seed", {.names = "--seed", .target = &seed}, "7x"); }),
            "tune --seed: expected a whole number from 0 on, found '7x'");
}

TEST(Convert, SuggestsANearChoice) {
  std::string mode;
  EXPECT_EQ(usage_error(
                [&] { convert("tune --l2", {.names = "--l2", .target = &mode, .choices = {"cold", "warm"}}, "cols"); }),
            "tune --l2: expected one of cold, warm, found 'cols' (did you mean 'cold'?)");
}

}  // namespace
}  // namespace kerntune::app
