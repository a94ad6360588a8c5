// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <kerntune/core/report.hpp>

#include "report/text_table.hpp"

namespace kerntune::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TuneProgress half_way() {
  TuneProgress progress;
  progress.kind = TuneProgress::Kind::evaluated;
  progress.batch = 64;
  progress.batch_index = 2;
  progress.batch_total = 4;
  progress.evaluations_done = 100;
  progress.evaluations_total = 200;
  progress.failed = 7;
  progress.best_ns = 10000;
  progress.default_ns = 18600;
  progress.elapsed_s = 50;
  progress.compiles_running = 2;
  progress.compiles_ready = 5;
  return progress;
}

TEST(ProgressLine, ShowsWhatMattersFirst) {
  EXPECT_EQ(
      progress_line(half_way(), ProgressBar::with, {.width = 130}),
      "batch 64 (3/4)  ████████████░░░░░░░░░░░░  100/200  best 10.00 µs (1.86× default)  about 50 s left  7 failed  "
      "2.0/s");
}

TEST(ProgressLine, NeverExceedsTheWidth) {
  for (int width = 20; width < 160; ++width) {
    SCOPED_TRACE(width);
    EXPECT_LE(columns_of(progress_line(half_way(), ProgressBar::with, {.width = width})),
              static_cast<std::size_t>(width));
  }
}

TEST(ProgressLine, UsesTheTimeBudgetWhereThereIsOne) {
  TuneProgress progress = half_way();
  progress.evaluations_total.reset();
  progress.seconds_left = 150;
  const std::string line = progress_line(progress, ProgressBar::with, {.width = 120});
  EXPECT_THAT(line, HasSubstr("██████░░░░░░░░░░░░░░░░░░"));  // 50 of 200 seconds
  EXPECT_THAT(line, HasSubstr("2m 30s left"));
}

TEST(ProgressLine, HasNoBarInALog) {
  const std::string line = progress_line(half_way(), ProgressBar::without, {.width = 200});
  EXPECT_THAT(line, Not(HasSubstr("█")));
  EXPECT_THAT(line, HasSubstr("compiling 2, ready 5"));
}

TEST(ProgressLine, SaysThatThereIsNoResultYet) {
  TuneProgress progress;
  progress.batch = 1;
  EXPECT_THAT(progress_line(progress, ProgressBar::with, {.width = 100}), StartsWith("batch 1  0  no result yet"));
}

TEST(ProgressLine, SaysThatLeadersAreBeingConfirmed) {
  TuneProgress progress = half_way();
  progress.kind = TuneProgress::Kind::confirming;
  const std::string line = progress_line(progress, ProgressBar::with, {.width = 120});
  EXPECT_THAT(line, HasSubstr("confirming, best 10.00 µs"));
  EXPECT_THAT(line, Not(HasSubstr("left")));
}

}  // namespace
}  // namespace kerntune::report
