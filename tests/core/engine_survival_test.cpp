// SPDX-License-Identifier: Apache-2.0
// What plugins do to their process, and what becomes of the run: real workers, a real store, the host device.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <kerntune/core/orphans.hpp>
#include <kerntune/core/tuner.hpp>
#include <kerntune/storage/result_store.hpp>

#include "run_tune.hpp"
#include "temp_dir.hpp"

namespace kerntune {
namespace {

using test::run;

using testing::AllOf;
using testing::AnyOf;
using testing::EndsWith;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;

TuneRequest request_for(const test::TempDir& dir, const std::string& kernel) {
  TuneRequest request;
  request.kernel = find_kernel(std::string(KERNTUNE_TEST_HAZARDS) + ":" + kernel, {});
  request.device = "host";
  request.batches = {16};
  request.strategy = "exhaustive";
  request.policy.l2 = MeasurePolicy::L2::warm;
  request.store_path = dir / "kt.db";
  request.evaluation_timeout_s = 1.5;
  request.memory_limit_bytes = UINT64_C(512) << 20;
  return request;
}

/// Not running any more; a zombie that nobody reaped does not run.
bool is_gone(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  const auto name_end = text.rfind(')');
  return name_end == std::string::npos || text.compare(name_end + 2, 1, "Z") == 0;
}

pid_t pid_in(const std::string& file) {
  pid_t pid = 0;
  std::ifstream(file) >> pid;
  return pid;
}

/// Kills this process's workers, as an operator or the kernel would; how many there were.
int kill_children() {
  int killed = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos) continue;
    if (std::atoi(text.c_str() + name_end + 4) == ::getpid() && ::kill(pid, SIGKILL) == 0) ++killed;
  }
  return killed;
}

/// One run over everything that a plugin can do; it takes seconds, so its result is looked at by many tests.
class Hazards : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    adopt_orphans();  // as the program does
    dir_ = std::make_unique<test::TempDir>();
    ::setenv("KERNTUNE_TEST_FOLDER", std::string(*dir_ / ".").c_str(), 1);
    report_ = std::make_unique<TuneReport>(run(request_for(*dir_, "hazards")));
  }
  static void TearDownTestSuite() {
    report_.reset();
    dir_.reset();
  }
  static const BatchResult& batch() { return report_->batches.at(0); }
  static const EvaluationTrace& trace(const std::string& mode) {
    return *std::find_if(batch().trace.begin(), batch().trace.end(),
                         [&](const EvaluationTrace& t) { return t.config_text == "mode=" + mode; });
  }
  static Reason reason(const std::string& mode) { return trace(mode).rejection.value().reason; }
  static std::string message(const std::string& mode) { return trace(mode).rejection.value().message; }

  static std::unique_ptr<test::TempDir> dir_;
  static std::unique_ptr<TuneReport> report_;
};
std::unique_ptr<test::TempDir> Hazards::dir_;
std::unique_ptr<TuneReport> Hazards::report_;

TEST_F(Hazards, TheRunEndsWithTheBestOfThoseThatBehave) {
  ASSERT_TRUE(batch().best) << batch().note;
  EXPECT_EQ(batch().best->config_text, "mode=well_behaved");
  EXPECT_EQ(batch().evaluated, 19);
  EXPECT_EQ(batch().failed, 17) << "nobody else is blamed";
  EXPECT_EQ(report_->stopped, "");
}

TEST_F(Hazards, ASegmentationFaultIsNamedWithTheLastOutputAndWhatWasDone) {
  EXPECT_EQ(reason("segfault"), Reason::crash);
  EXPECT_THAT(message("segfault"), AllOf(HasSubstr("was killed by signal 11 (Segmentation fault)"),
                                         HasSubstr("being timed for"), HasSubstr("about to fall over")));
}

TEST_F(Hazards, ACrashAmongOthersIsProvenByRunningItAlone) {
  EXPECT_THAT(message("segfault"), HasSubstr("run a second time, alone, with the same end"));
}

TEST_F(Hazards, OutputOfEarlierConfigurationsIsNotShown) {
  EXPECT_THAT(message("silent_segfault"), Not(HasSubstr("last output")));
}

TEST_F(Hazards, OutputIsMadeFitForTerminalsAndJson) {
  EXPECT_THAT(message("ugly_segfault"), HasSubstr("?[31mred? and no line end"));
}

TEST_F(Hazards, AbortAndExitAreNamed) {
  EXPECT_THAT(message("abort"), HasSubstr("signal 6 (Aborted)"));
  EXPECT_THAT(message("exit"), HasSubstr("exited with code 0"));
}

TEST_F(Hazards, AKillFromOutsideIsBlamedOnlyWhenItComesAgain) {
  EXPECT_THAT(message("sigkill"),
              AllOf(HasSubstr("signal 9"), HasSubstr("memory ran out or by somebody"), HasSubstr("a second time")));
}

TEST_F(Hazards, ExceptionsAreAnswers) {
  EXPECT_THAT(message("throws"), HasSubstr("prepare failed on purpose"));
  EXPECT_THAT(message("throws_in_launch"), HasSubstr("not a std::exception"));
}

TEST_F(Hazards, WhatNeverEndsIsEndedWhereverItIs) {
  for (const char* mode : {"loops", "loops_in_teardown", "floods", "stops"}) {
    SCOPED_TRACE(mode);
    EXPECT_EQ(reason(mode), Reason::timeout);
    EXPECT_THAT(message(mode), AllOf(HasSubstr("s allowed (--timeout)"), HasSubstr("its process was killed")));
  }
  EXPECT_THAT(message("loops"), HasSubstr("did not end: being timed for"));
  EXPECT_THAT(message("loops_in_teardown"), HasSubstr("did not end: between two steps for"));
  EXPECT_THAT(message("floods"), HasSubstr("and another line"));
}

TEST_F(Hazards, MemoryIsLimited) {
  // A sanitizer's allocator gives up for the plugin where memory ends.
  EXPECT_THAT(reason("leak"), AnyOf(Eq(Reason::out_of_memory), Eq(Reason::crash)));
}

TEST_F(Hazards, AClosedChannelIsNamed) {
  EXPECT_EQ(reason("closes"), Reason::crash);
  EXPECT_THAT(message("closes"), HasSubstr("channel"));
}

TEST_F(Hazards, GarbageOnTheChannelIsNamed) {
  for (const char* mode : {"garbage", "false_header"}) {
    SCOPED_TRACE(mode);
    EXPECT_EQ(reason(mode), Reason::crash);
    EXPECT_THAT(message(mode), HasSubstr("damaged what it sends to the supervisor"));
  }
}

TEST_F(Hazards, NothingOutlivesItsWorker) {
  EXPECT_THAT(message("daemon_and_segfault"), HasSubstr("signal 11"));
  for (const char* who : {"child", "daemon", "detached"}) {
    SCOPED_TRACE(who);
    const pid_t pid = pid_in(*dir_ / who);
    ASSERT_GT(pid, 0);
    EXPECT_TRUE(is_gone(pid));
  }
}

TEST_F(Hazards, TheStoreKnowsEveryCulpritAndNothingIsInFlight) {
  const auto store = storage::ResultStore::open(*dir_ / "kt.db", storage::ResultStore::Mode::read_only);
  const auto rows = store.recent("hazards", 100);
  EXPECT_EQ(rows.size(), 19U);
  for (const auto& row : rows) {
    EXPECT_EQ(row.message.empty(), row.status != storage::Status::rejected) << row.key.config;
  }
  EXPECT_TRUE(store.leftovers("").empty());
}

TEST_F(Hazards, CulpritsAreNotTriedAgainUnlessAsked) {
  const TuneReport again = run(request_for(*dir_, "hazards"));
  EXPECT_EQ(again.batches.at(0).reused, 19);
  EXPECT_EQ(again.worker_restarts, 0);
}

TEST(Survival, InnocentsAreRepeatedAndNotBlamed) {
  const test::TempDir dir;
  const TuneReport report = run(request_for(dir, "sabotage"));
  const BatchResult& batch = report.batches.at(0);
  EXPECT_EQ(batch.evaluated, 4);
  EXPECT_EQ(batch.failed, 0);
  EXPECT_GT(report.worker_restarts, 0);
  const auto second = std::find_if(batch.trace.begin(), batch.trace.end(),
                                   [](const EvaluationTrace& t) { return t.config_text == "part=second"; });
  EXPECT_EQ(second->facts.at("repeated"), 1);
}

/// The saboteur loses every race, so that it runs at edge sizes in the final alone. There it plays as what is deployed.
TEST(Survival, AFinalistIsNotBlamedForWhatAnotherOneDidToTheProcess) {
  const test::TempDir deployed, dir;
  ::setenv("KERNTUNE_TEST_HARMLESS", "1", 1);
  const TuneReport before = run(request_for(deployed, "edge_sabotage"));
  ::unsetenv("KERNTUNE_TEST_HARMLESS");
  ASSERT_EQ(before.batches.at(0).best->config_text, "part=saboteur");

  TuneRequest request = request_for(dir, "edge_sabotage");
  request.incumbent_path = deployed / "kt.db";
  const BatchResult batch = run(request).batches.at(0);
  ASSERT_TRUE(batch.best) << batch.note;
  const auto store = storage::ResultStore::open(request.store_path, storage::ResultStore::Mode::read_only);
  for (const auto& row : store.recent("edge_sabotage", 10)) {
    SCOPED_TRACE(row.key.config);
    if (row.key.config != "part=saboteur") {
      EXPECT_NE(row.status, storage::Status::rejected) << row.message;
      continue;
    }
    EXPECT_EQ(row.reason, "crash");
    EXPECT_THAT(row.message, HasSubstr("this one damages its process"));
  }
}

TEST(Survival, AMerelySlowKernelIsNotTakenForOneThatNeverEnds) {
  RunRequest request;
  request.kernel = find_kernel(std::string(KERNTUNE_TEST_HAZARDS) + ":sluggish", {});
  request.policy.l2 = MeasurePolicy::L2::warm;
  request.config = "launch_ms=500";
  request.launches = 4;
  request.timeout_s = 2;  // five launches and three verifications take twice that
  const RunResult result = run_config(request);
  EXPECT_FALSE(result.rejection) << result.rejection->message;
  EXPECT_EQ(result.samples_ns.size(), 4U);
}

TEST(Survival, AWorkerKilledFromOutsideCostsNobodyAnything) {
  const test::TempDir dir;
  TuneRequest request = request_for(dir, "sabotage");
  const StopFlag stop{0};
  int kills = 0;
  const TuneReport report = tune(
      request,
      [&](const TuneProgress& p) {
        if (p.kind == TuneProgress::Kind::evaluated && p.evaluations_done == 1) kills += kill_children();
      },
      stop);
  EXPECT_EQ(kills, 1);
  EXPECT_EQ(report.batches.at(0).failed, 0);
  EXPECT_EQ(report.batches.at(0).evaluated, 4);
}

}  // namespace
}  // namespace kerntune
