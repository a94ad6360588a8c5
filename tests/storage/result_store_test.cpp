// SPDX-License-Identifier: Apache-2.0
#include <kerntune/storage/result_store.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "support/sample_records.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::storage {
namespace {

using kerntune::testing::sample_evaluation;
using kerntune::testing::sample_key;
using kerntune::testing::sample_run;
using kerntune::testing::sample_started;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ResultStoreTest : public ::testing::Test {
 protected:
  void commit(const EvaluationRecord& record) { store.commit({&record, 1}, {}); }
  void start(const StartedRecord& row) { store.commit({}, {&row, 1}); }
  std::vector<std::string> recent_configs(const std::string& kernel, std::size_t limit) {
    std::vector<std::string> configs;
    for (const auto& record : store.recent(kernel, limit)) configs.push_back(record.key.config);
    return configs;
  }

  kerntune::testing::TempDir dir;
  ResultStore store = ResultStore::open(dir.file("a.db"), ResultStore::Mode::create);
};

TEST_F(ResultStoreTest, GivesBackEveryFieldOfAnEvaluation) {
  const EvaluationRecord stored = sample_evaluation();
  commit(stored);
  const auto found = store.find(stored.key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, stored.key);
  EXPECT_EQ(found->run_id, stored.run_id);
  EXPECT_EQ(found->status, stored.status);
  EXPECT_EQ(found->median_ns, stored.median_ns);
  EXPECT_EQ(found->samples_ns, stored.samples_ns);
  EXPECT_EQ(found->verified, stored.verified);
  EXPECT_EQ(found->reference_digest, stored.reference_digest);
  EXPECT_EQ(found->facts_json, stored.facts_json);
  EXPECT_EQ(found->compile_json, stored.compile_json);
  EXPECT_EQ(found->started_unix_us, stored.started_unix_us);
  EXPECT_EQ(found->wall_us, stored.wall_us);
}

TEST_F(ResultStoreTest, GivesBackARejectionWithItsReason) {
  EvaluationRecord rejected = sample_evaluation();
  rejected.status = Status::rejected;
  rejected.reason = "too_many_registers";
  rejected.verified = "no";
  rejected.proven = false;
  rejected.message = "kernel 'gemm' needs 300 registers;\nthe device has 255";
  rejected.median_ns = 0;
  rejected.samples_ns.clear();
  commit(rejected);
  const auto found = store.find(rejected.key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->status, Status::rejected);
  EXPECT_EQ(found->reason, rejected.reason);
  EXPECT_EQ(found->message, rejected.message);
  EXPECT_THAT(found->samples_ns, IsEmpty());
}

TEST_F(ResultStoreTest, KeepsBytesThatAreNotText) {
  EvaluationRecord odd = sample_evaluation(std::string("name=\"a\0b\xff\"", 12));
  odd.message = std::string("\0\xfe", 2);
  commit(odd);
  const auto found = store.find(odd.key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->message, odd.message);
}

TEST_F(ResultStoreTest, FindsNothingUnderAnotherKey) {
  commit(sample_evaluation());
  EvaluationKey other = sample_key();
  other.policy = "l2=warm,mode=eager,method=1";
  EXPECT_FALSE(store.find(other));
}

TEST_F(ResultStoreTest, ReplacesAnEvaluationOfTheSameKey) {
  commit(sample_evaluation());
  EvaluationRecord again = sample_evaluation();
  again.median_ns = 19;
  again.run_id = "another";
  commit(again);
  EXPECT_EQ(store.find(again.key)->median_ns, 19);
  EXPECT_EQ(store.recent("gemm", 10).size(), 1u);
}

TEST_F(ResultStoreTest, ListsTheEvaluationsOfAContextByConfig) {
  for (const char* config : {"tile=4", "tile=1", "tile=2"}) commit(sample_evaluation(config));
  EvaluationRecord elsewhere = sample_evaluation("tile=8");
  elsewhere.key.dims = "batch=1,k=4096,n=4096";
  commit(elsewhere);
  std::vector<std::string> configs;
  for (const auto& record : store.evaluations(sample_key("ignored"))) configs.push_back(record.key.config);
  EXPECT_THAT(configs, ElementsAre("tile=1", "tile=2", "tile=4"));
}

TEST_F(ResultStoreTest, ListsRecentEvaluationsNewestFirst) {
  EvaluationRecord record = sample_evaluation();
  for (const char* config : {"first", "second", "third"}) {
    record.key.config = config;
    ++record.started_unix_us;
    commit(record);
  }
  EXPECT_THAT(recent_configs("gemm", 2), ElementsAre("third", "second"));
  EXPECT_THAT(recent_configs("", std::numeric_limits<std::size_t>::max()), ElementsAre("third", "second", "first"));
  EXPECT_THAT(recent_configs("axpy", 2), IsEmpty());
}

TEST_F(ResultStoreTest, CommittingAnEvaluationRemovesItsStartedRows) {
  start(sample_started("tile=1", "run-a"));
  start(sample_started("tile=1", "run-b"));
  start(sample_started("tile=2", "run-a"));
  commit(sample_evaluation("tile=1"));
  const auto left = store.leftovers("run-z");
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].key, sample_key("tile=2"));
  EXPECT_EQ(left[0].run_id, "run-a");
  EXPECT_EQ(left[0].started_unix_us, sample_started().started_unix_us);
}

TEST_F(ResultStoreTest, OneCommitFinishesAndStarts) {
  const auto finished = sample_evaluation("tile=1");
  const auto started = sample_started("tile=2");
  start(sample_started("tile=1"));
  store.commit({&finished, 1}, {&started, 1});
  ASSERT_EQ(store.leftovers("").size(), 1u);
  EXPECT_EQ(store.leftovers("")[0].key.config, "tile=2");
}

TEST_F(ResultStoreTest, LeavesOutTheAskersOwnStartedRows) {
  start(sample_started("tile=1", "run-a"));
  start(sample_started("tile=2", "run-b"));
  const auto left = store.leftovers("run-a");
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].run_id, "run-b");
}

TEST_F(ResultStoreTest, StartingTwiceKeepsTheLaterTime) {
  StartedRecord row = sample_started();
  start(row);
  row.started_unix_us += 5;
  start(row);
  ASSERT_EQ(store.leftovers("").size(), 1u);
  EXPECT_EQ(store.leftovers("")[0].started_unix_us, row.started_unix_us);
}

TEST_F(ResultStoreTest, ClearsOnlyTheStartedRowsNamed) {
  start(sample_started("tile=1", "run-a"));
  start(sample_started("tile=1", "run-b"));
  const auto row = sample_started("tile=1", "run-a");
  store.clear_started({&row, 1});
  ASSERT_EQ(store.leftovers("").size(), 1u);
  EXPECT_EQ(store.leftovers("")[0].run_id, "run-b");
}

TEST_F(ResultStoreTest, RefusesTimesThatAreNone) {
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    SCOPED_TRACE(bad);
    EvaluationRecord record = sample_evaluation();
    record.median_ns = bad;
    EXPECT_THROW(commit(record), StorageError);
    record = sample_evaluation();
    record.samples_ns.push_back(bad);
    EXPECT_THROW(commit(record), StorageError);
  }
  EXPECT_THAT(store.recent("", 10), IsEmpty());
}

TEST_F(ResultStoreTest, StoresNothingOfACommitWithOneBadRecord) {
  std::vector<EvaluationRecord> records = {sample_evaluation("tile=1"), sample_evaluation("tile=2")};
  records[1].median_ns = -1;
  EXPECT_THROW(store.commit(records, {}), StorageError);
  EXPECT_FALSE(store.find(sample_key("tile=1")));
}

TEST_F(ResultStoreTest, GivesBackEveryFieldOfARun) {
  const RunRecord stored = sample_run();
  store.begin_run(stored);
  ASSERT_EQ(store.runs().size(), 1u);
  const RunRecord run = store.runs()[0];
  EXPECT_EQ(run.run_id, stored.run_id);
  EXPECT_EQ(run.started_unix_us, stored.started_unix_us);
  EXPECT_FALSE(run.ended_unix_us);
  EXPECT_EQ(run.kernel, stored.kernel);
  EXPECT_EQ(run.spec_json, stored.spec_json);
  EXPECT_EQ(run.device_json, stored.device_json);
  EXPECT_EQ(run.strategy, stored.strategy);
  EXPECT_EQ(run.command, stored.command);
  EXPECT_EQ(run.host, stored.host);
  EXPECT_EQ(run.version, stored.version);
  EXPECT_EQ(run.seed, stored.seed);
  EXPECT_EQ(run.outcome, "");
}

TEST_F(ResultStoreTest, EndsARun) {
  store.begin_run(sample_run());
  store.end_run("run-a", 1'700'000'001'000'000, "done");
  EXPECT_EQ(store.runs()[0].ended_unix_us, 1'700'000'001'000'000);
  EXPECT_EQ(store.runs()[0].outcome, "done");
}

TEST_F(ResultStoreTest, ListsRunsNewestFirst) {
  RunRecord run = sample_run("old");
  store.begin_run(run);
  run.run_id = "new";
  ++run.started_unix_us;
  store.begin_run(run);
  EXPECT_EQ(store.runs()[0].run_id, "new");
}

TEST_F(ResultStoreTest, RefusesToBeginARunTwice) {
  store.begin_run(sample_run());
  EXPECT_THROW(store.begin_run(sample_run()), StorageError);
  EXPECT_EQ(store.runs().size(), 1u);
}

TEST_F(ResultStoreTest, NamesARunThatCannotEnd) {
  try {
    store.end_run("ghost", 1, "done");
    FAIL() << "ended a run that never began";
  } catch (const StorageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'ghost'"));
    EXPECT_THAT(error.what(), HasSubstr(dir.file("a.db")));
  }
}

TEST_F(ResultStoreTest, CanBeMoved) {
  ResultStore moved = std::move(store);
  const auto record = sample_evaluation();
  moved.commit({&record, 1}, {});
  store = std::move(moved);
  EXPECT_TRUE(store.find(record.key));
}

TEST_F(ResultStoreTest, ShowsAnotherConnectionWhatWasCommitted) {
  commit(sample_evaluation());
  const auto other = ResultStore::open(dir.file("a.db"), ResultStore::Mode::read_only);
  EXPECT_TRUE(other.find(sample_key()));
}

}  // namespace
}  // namespace kerntune::storage
