// SPDX-License-Identifier: Apache-2.0
// The whole engine on the host device, with real worker processes and a real store, over a kernel that misbehaves.
#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/tuner.hpp>
#include <kerntune/storage/result_store.hpp>

#include "run_tune.hpp"
#include "temp_dir.hpp"

namespace kerntune {
namespace {

using test::run;

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::Key;

TuneRequest request_for(const test::TempDir& dir) {
  TuneRequest request;
  request.kernel = find_kernel(KERNTUNE_TEST_TROUBLE, {});
  request.device = "host";
  request.batches = {16};
  request.strategy = "exhaustive";
  request.policy.l2 = MeasurePolicy::L2::warm;
  request.store_path = dir / "kt.db";
  request.evaluation_timeout_s = 1.5;
  return request;
}

const EvaluationTrace& trace_of(const BatchResult& batch, const std::string& mode) {
  return *std::find_if(batch.trace.begin(), batch.trace.end(),
                       [&](const EvaluationTrace& t) { return t.config_text == "mode=" + mode + ",delay_ms=10"; });
}

/// One exhaustive run over every kind of trouble; it takes seconds, so its result is looked at by many tests.
class TroubledRun : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = std::make_unique<test::TempDir>();
    report_ = std::make_unique<TuneReport>(run(request_for(*dir_)));
  }
  static void TearDownTestSuite() {
    report_.reset();
    dir_.reset();
  }
  static const BatchResult& batch() { return report_->batches.at(0); }
  static std::unique_ptr<test::TempDir> dir_;
  static std::unique_ptr<TuneReport> report_;
};
std::unique_ptr<test::TempDir> TroubledRun::dir_;
std::unique_ptr<TuneReport> TroubledRun::report_;

TEST_F(TroubledRun, FindsTheFastestThatIsRight) {
  ASSERT_TRUE(batch().best);
  EXPECT_EQ(batch().best->config_text, "mode=good,delay_ms=10");
  EXPECT_EQ(batch().best->verified, "reference");
  EXPECT_GT(batch().speedup_low, 1.2);
}

TEST_F(TroubledRun, ObservesEveryConfigurationOnce) {
  EXPECT_EQ(batch().evaluated, 14);
  EXPECT_EQ(batch().trace.size(), 14U);
  EXPECT_EQ(batch().reused, 0);
}

TEST_F(TroubledRun, RejectsAWrongResultWithTheNumbers) {
  EXPECT_EQ(trace_of(batch(), "wrong").rejection->reason, Reason::wrong_result);
  EXPECT_THAT(trace_of(batch(), "wrong").rejection->message, HasSubstr("expected"));
}

TEST_F(TroubledRun, FindsAnOutputThatWasNotWritten) {
  EXPECT_EQ(trace_of(batch(), "unwritten").rejection->reason, Reason::unwritten_output);
}

TEST_F(TroubledRun, FindsAWriteOutsideABuffer) {
  EXPECT_EQ(trace_of(batch(), "outside").rejection->reason, Reason::out_of_bounds);
}

TEST_F(TroubledRun, FindsAChangedInput) {
  EXPECT_EQ(trace_of(batch(), "changes_input").rejection->reason, Reason::out_of_bounds);
}

TEST_F(TroubledRun, TakesUnsupportedForAnAnswer) {
  const Rejection& r = *trace_of(batch(), "unsupported").rejection;
  EXPECT_EQ(r.reason, Reason::unsupported);
  EXPECT_THAT(r.message, HasSubstr("lacks what the configuration needs"));
}

TEST_F(TroubledRun, KeepsTheTextOfAnException) {
  EXPECT_THAT(trace_of(batch(), "throws").rejection->message, HasSubstr("prepare failed on purpose"));
}

TEST_F(TroubledRun, SurvivesASegmentationFaultAndShowsTheLastOutput) {
  const Rejection& r = *trace_of(batch(), "segfault").rejection;
  EXPECT_EQ(r.reason, Reason::crash);
  EXPECT_THAT(r.message, AllOf(HasSubstr("signal 11"), HasSubstr("about to fall over")));
}

TEST_F(TroubledRun, SurvivesAbortAndExit) {
  EXPECT_THAT(trace_of(batch(), "abort").rejection->message, HasSubstr("signal 6"));
  EXPECT_THAT(trace_of(batch(), "exit").rejection->message, HasSubstr("exited with code 0"));
}

TEST_F(TroubledRun, EndsAConfigurationThatHangs) {
  EXPECT_EQ(trace_of(batch(), "hang").rejection->reason, Reason::timeout);
}

TEST_F(TroubledRun, BlamesNobodyElse) { EXPECT_EQ(batch().failed, 10); }

TEST_F(TroubledRun, MeasuresNothingAgainTheSecondTime) {
  TuneRequest again = request_for(*dir_);
  again.budget.evaluations = 14;
  const TuneReport second = run(again);
  EXPECT_EQ(second.batches[0].reused, 14);
  EXPECT_EQ(second.batches[0].evaluated, 14);
  EXPECT_EQ(second.batches[0].best->config_text, batch().best->config_text);
  EXPECT_EQ(second.batches[0].best->time_ns, batch().best->time_ns) << "the stored final stands";
}

TEST_F(TroubledRun, StoresEveryEvaluationAndLeavesNoStartedRow) {
  const auto store = storage::ResultStore::open(*dir_ / "kt.db", storage::ResultStore::Mode::read_only);
  EXPECT_EQ(store.recent("trouble", 100).size(), 14U);
  EXPECT_TRUE(store.leftovers("").empty());
  EXPECT_EQ(store.finals("trouble").size(), 1U);
}

TEST(Tune, StaticFilterTurnsDownWhatIsNotApplicable) {
  const test::TempDir dir;
  TuneRequest request = request_for(dir);
  request.batches = {1};
  request.strategy = "random";
  request.budget.evaluations = 3;
  const TuneReport report = run(request);
  const BatchResult& batch = report.batches.at(0);
  EXPECT_LE(batch.evaluated, 3);
  EXPECT_EQ(batch.pruned_static, batch.failures_by_reason.contains("not_applicable") ? 1 : 0);
}

TEST(Tune, KeepsToTheBudgetPerBatch) {
  const test::TempDir dir;
  TuneRequest request = request_for(dir);
  request.batches = {64, 16, 16};
  request.budget.evaluations = 2;
  const TuneReport report = run(request);
  ASSERT_EQ(report.batches.size(), 2U) << "a batch given twice is tuned once";
  EXPECT_EQ(report.batches[0].batch, 16) << "smallest first";
  EXPECT_EQ(report.batches[0].evaluated, 2);
  EXPECT_EQ(report.batches[1].evaluated, 2);
}

TEST(Tune, RetriesFailuresOnlyWhenAsked) {
  const test::TempDir dir;
  TuneRequest request = request_for(dir);
  (void)run(request);
  request.retry_failed = true;
  const TuneReport again = run(request);
  EXPECT_EQ(again.batches[0].reused, 4);
  EXPECT_EQ(again.batches[0].failed, 10);
}

TEST(Tune, StopsWhenAskedAndReportsTheBestSoFar) {
  const test::TempDir dir;
  const TuneRequest request = request_for(dir);
  StopFlag stop{0};
  const TuneReport report = tune(
      request,
      [&](const TuneProgress& p) {
        if (p.evaluations_done >= 2) stop = 1;
      },
      stop);
  EXPECT_TRUE(report.interrupted);
  ASSERT_TRUE(report.batches.at(0).best);
  EXPECT_LT(report.batches[0].evaluated, 14);
}

TEST(Tune, StopsAtOnceOnTheSecondRequest) {
  const test::TempDir dir;
  const TuneRequest request = request_for(dir);
  StopFlag stop{0};
  const TuneReport report = tune(
      request,
      [&](const TuneProgress& p) {
        if (p.evaluations_done >= 2) stop = 2;
      },
      stop);
  EXPECT_TRUE(report.interrupted);
  EXPECT_FALSE(report.batches.at(0).best) << "no final was played";
}

TEST(Tune, RefusesABatchOutsideTheDeclaredRangeBeforeMeasuring) {
  const test::TempDir dir;
  TuneRequest request = request_for(dir);
  request.batches = {16, 5000};
  EXPECT_THROW(run(request), UsageError);
}

TEST(Tune, NamesAStoreThatCannotBeOpened) {
  const test::TempDir dir;
  TuneRequest request = request_for(dir);
  std::ofstream(dir / "not-a-store") << "some text that is no database, and long enough to be looked at by SQLite";
  request.store_path = dir / "not-a-store";
  EXPECT_THROW(run(request), storage::StorageError);
}

TEST(Tune, SupervisorMapsNeitherPluginNorDriver) {
  const test::TempDir dir;
  TuneRequest request = request_for(dir);
  request.budget.evaluations = 2;
  (void)run(request);
  std::ifstream maps("/proc/self/maps");
  const std::string text((std::istreambuf_iterator<char>(maps)), {});
  ASSERT_FALSE(text.empty());
  for (const char* foreign : {"trouble", "libcuda", "libnvrtc", "libcupti"}) {
    EXPECT_EQ(text.find(foreign + std::string(".so")), std::string::npos) << foreign;
  }
}

TEST(FindKernel, SurvivesAPluginThatExitsInItsConstructor) {
  try {
    (void)find_kernel(KERNTUNE_TEST_EXITS, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("exited with code 0"), HasSubstr("leaving")));
  }
}

TEST(FindKernel, ListsWhatItKnowsWhenTheNameIsWrong) {
  try {
    (void)find_kernel("truble", {KERNTUNE_TEST_TROUBLE});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("known: trouble"));
  }
}

TEST(RunConfig, VerifiesAndTimesOneConfiguration) {
  RunRequest request;
  request.kernel = find_kernel(KERNTUNE_TEST_TROUBLE, {});
  request.policy.l2 = MeasurePolicy::L2::warm;
  request.config = "delay_ms=14,mode=good";
  request.batch = 32;
  const RunResult result = run_config(request);
  EXPECT_FALSE(result.rejection);
  EXPECT_EQ(result.verified, "reference");
  EXPECT_EQ(result.samples_ns.size(), 50U);
  EXPECT_GE(result.median_ns, 100e3);
}

TEST(RunConfig, SaysWhyAConfigurationFails) {
  RunRequest request;
  request.kernel = find_kernel(KERNTUNE_TEST_TROUBLE, {});
  request.config = "delay_ms=10,mode=wrong";
  const RunResult result = run_config(request);
  ASSERT_TRUE(result.rejection);
  EXPECT_EQ(result.rejection->reason, Reason::wrong_result);
  EXPECT_TRUE(result.samples_ns.empty()) << "a wrong configuration has no time";
}

}  // namespace
}  // namespace kerntune
