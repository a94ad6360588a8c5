// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <kerntune/core/report.hpp>

#include "report_sample.hpp"

namespace kerntune::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RecordText, ShowsTheFastestSeenAndHowToReplay) {
  const TuneReport tune = testing::sample_report({8});
  const std::string text = record_text({tune, "/tmp/my space.json", true}, {.width = 160});
  EXPECT_THAT(text, HasSubstr(time_text(fastest_seen(tune.batches[0])->time_ns)));
  EXPECT_THAT(text, HasSubstr("kerntune tune sgemm --device 'replay:/tmp/my space.json'"));
  EXPECT_THAT(text, HasSubstr("device_limit"));
}

TEST(RecordText, SaysThatNothingWasWritten) {
  const std::string text = record_text({testing::hopeless_report(), "/tmp/space.json", false}, {.width = 160});
  EXPECT_THAT(text, HasSubstr("no recording was written"));
  EXPECT_THAT(text, HasSubstr("none"));
  EXPECT_THAT(text, Not(HasSubstr("replay:")));
}

TEST(FastestSeen, CountsMeasuredTimesOnly) {
  BatchResult batch;
  EXPECT_EQ(fastest_seen(batch), nullptr);
  batch.trace.resize(3);
  batch.trace[0].status = EvaluationTrace::Status::measured;
  batch.trace[0].time_ns = 50;
  batch.trace[1].status = EvaluationTrace::Status::slower;
  batch.trace[1].time_ns = 10;
  EXPECT_EQ(fastest_seen(batch), &batch.trace[0]);
}

}  // namespace
}  // namespace kerntune::report
