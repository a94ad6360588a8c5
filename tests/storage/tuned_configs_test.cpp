// SPDX-License-Identifier: Apache-2.0
#include <kerntune/query/tuned_configs.hpp>

#include <gmock/gmock.h>

#include <kerntune/storage/result_store.hpp>

#include <limits>
#include <sstream>

#include "support/sample_records.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::query {

void PrintTo(const Decision& decision, std::ostream* out) {
  *out << name_of(decision.found) << " '" << decision.config << "' tuned at " << decision.tuned_batch << ", "
       << decision.time_ns << " ns, bound " << decision.bound << ": " << decision.reason;
}

namespace {

using kerntune::testing::sample_final;
using storage::FinalRecord;
using storage::ResultStore;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kDefault[] = "block_x=64,tile=1";

auto is_found(Found found, const std::string& config) {
  return AllOf(Field("found", &Decision::found, found), Field("config", &Decision::config, config));
}
auto is_default_because(const std::string& reason) {
  return AllOf(Field("found", &Decision::found, Found::fallback), Field("config", &Decision::config, kDefault),
               Field("tuned_batch", &Decision::tuned_batch, 0), Field("time_ns", &Decision::time_ns, 0),
               Field("bound", &Decision::bound, 0), Field("reason", &Decision::reason, HasSubstr(reason)));
}

class TunedConfigsTest : public ::testing::Test {
 protected:
  void tune(const FinalRecord& record) { kerntune::testing::record_winner(store, record); }
  // A winner called `config`, a second younger for each one before.
  void tune(std::int64_t batch, double time_ns, const std::string& config,
            const std::function<void(FinalRecord&)>& change = {}) {
    FinalRecord record = sample_final(batch, time_ns);
    record.config = config;
    record.finished_unix_us += ++age;
    if (change) change(record);
    tune(record);
  }
  TunedConfigs open() {
    TunedConfigs configs = TunedConfigs::open(dir.file("a.db"));
    EXPECT_EQ(configs.error(), "");
    return configs;
  }
  Decision ask(std::int64_t batch, const Key& key = asked()) {
    family = open().resolve(key);
    return family.pick(batch);
  }
  static Key asked() {
    return {.kernel = "gemm", .other_dims = "k=4096,n=4096", .device_class = "cc90-sm132", .policy = {}};
  }

  kerntune::testing::TempDir dir;
  ResultStore store = ResultStore::open(dir.file("a.db"), ResultStore::Mode::create);
  Family family;  // keeps what a decision points to
  std::int64_t age = 0;
};

TEST_F(TunedConfigsTest, AnswersATunedBatchExactly) {
  tune(64, 20.5, "best");
  EXPECT_THAT(ask(64), AllOf(is_found(Found::exact, "best"), Field(&Decision::tuned_batch, 64),
                             Field(&Decision::time_ns, 20.5), Field(&Decision::bound, 1)));
}

TEST_F(TunedConfigsTest, ServesABatchBetweenByTheNextLargerWithABound) {
  tune(8, 10, "at 8");
  tune(16, 12.5, "at 16");
  for (const std::int64_t batch : {9, 15}) {
    EXPECT_THAT(ask(batch), AllOf(is_found(Found::bucket, "at 16"), Field(&Decision::tuned_batch, 16),
                                  Field(&Decision::time_ns, 12.5), Field(&Decision::bound, 1.25)));
  }
}

TEST_F(TunedConfigsTest, NeverClaimsToBeFasterThanTheBest) {
  tune(8, 10, "at 8");
  tune(16, 9, "at 16");
  EXPECT_EQ(ask(12).bound, 1);
}

TEST_F(TunedConfigsTest, KnowsNoBoundFromATimeOfZero) {
  tune(8, 0, "at 8");
  tune(16, 9, "at 16");
  EXPECT_EQ(ask(12).bound, 0);
}

TEST_F(TunedConfigsTest, ServesSmallerBatchesByTheSmallestWithoutABound) {
  tune(8, 10, "at 8");
  EXPECT_THAT(ask(1), AllOf(is_found(Found::bucket, "at 8"), Field(&Decision::bound, 0),
                            Field(&Decision::reason, HasSubstr("below the smallest"))));
}

TEST_F(TunedConfigsTest, ServesLargerBatchesByTheLargestAndSaysSo) {
  tune(8, 10, "at 8");
  tune(16, 12, "at 16");
  EXPECT_THAT(
      ask(std::numeric_limits<std::int64_t>::max()),
      AllOf(is_found(Found::extrapolated, "at 16"), Field(&Decision::tuned_batch, 16), Field(&Decision::bound, 0)));
}

TEST_F(TunedConfigsTest, AnswersABatchBelowOneWithTheDefault) {
  tune(8, 10, "at 8");
  for (const std::int64_t batch : {std::int64_t{0}, std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_THAT(ask(batch), is_default_because("at least 1"));
  }
}

TEST_F(TunedConfigsTest, PicksLargerBucketsForLargerBatches) {
  for (const std::int64_t batch : {1, 3, 7, 50}) tune(batch, static_cast<double>(batch), std::to_string(batch));
  const Family tuned = open().resolve(asked());
  std::int64_t before = 0;
  for (std::int64_t batch = 1; batch <= 60; ++batch) {
    const Decision decision = tuned.pick(batch);
    EXPECT_GE(decision.tuned_batch, before);
    EXPECT_TRUE(decision.tuned_batch >= batch || decision.found == Found::extrapolated) << batch;
    before = decision.tuned_batch;
  }
}

TEST_F(TunedConfigsTest, KnowsNothingOfAnUnknownKernel) {
  tune(8, 10, "best");
  Key key = asked();
  key.kernel = "conv";
  EXPECT_THAT(ask(8, key), AllOf(is_found(Found::fallback, ""), Field(&Decision::reason, HasSubstr("no winner"))));
}

TEST_F(TunedConfigsTest, NeverReturnsAnotherDevice) {
  tune(8, 10, "best");
  Key key = asked();
  key.device_class = "cc80-sm108";
  EXPECT_THAT(ask(8, key), is_default_because("not on this device"));
}

TEST_F(TunedConfigsTest, SaysThatNoDeviceWasGiven) {
  tune(8, 10, "best");
  Key key = asked();
  key.device_class = "";
  EXPECT_THAT(ask(8, key), is_default_because("no device given"));
}

TEST_F(TunedConfigsTest, NeverReturnsOtherSizes) {
  tune(8, 10, "best");
  Key key = asked();
  key.other_dims = "k=4096,n=8192";
  EXPECT_THAT(ask(8, key), is_default_because("not at these sizes"));
}

TEST_F(TunedConfigsTest, NeverReturnsAnotherPolicy) {
  tune(8, 10, "best");
  Key key = asked();
  key.policy = "l2=warm,mode=eager,method=1";
  EXPECT_THAT(ask(8, key), is_default_because("not under this policy"));
}

TEST_F(TunedConfigsTest, AsksWhichOfSeveralPolicies) {
  tune(8, 10, "cold");
  tune(8, 9, "warm", [](FinalRecord& record) { record.policy = "l2=warm"; });
  EXPECT_THAT(ask(8), is_default_because("several policies"));
  Key key = asked();
  key.policy = "l2=warm";
  EXPECT_THAT(ask(8, key), is_found(Found::exact, "warm"));
}

TEST_F(TunedConfigsTest, ServesOnlyTheCodeOfTheNewestWinner) {
  tune(8, 10, "old code at 8");
  tune(64, 30, "old code at 64");
  tune(8, 9, "new code at 8", [](FinalRecord& record) { record.code_digest = "new"; });
  EXPECT_THAT(ask(8), is_found(Found::exact, "new code at 8"));
  EXPECT_THAT(ask(64), is_found(Found::extrapolated, "new code at 8"));
}

TEST_F(TunedConfigsTest, ServesOnlyTheToolchainOfTheNewestWinner) {
  const auto older = [](FinalRecord& record) {
    record.toolchain = "nvrtc 12.9";
    record.finished_unix_us -= 1'000'000;
  };
  tune(8, 10, "13.0 at 8");
  tune(16, 5, "12.9 at 16", older);
  EXPECT_THAT(ask(16), is_found(Found::extrapolated, "13.0 at 8"));
}

TEST_F(TunedConfigsTest, ServesTheNewestOverSpacesAndReferences) {
  tune(8, 10, "larger space", [](FinalRecord& record) { record.space_digest = "larger"; });
  tune(8, 11, "smaller space");
  tune(16, 12, "old reference");
  tune(16, 12, "new reference", [](FinalRecord& record) { record.reference_digest = "new"; });
  EXPECT_THAT(ask(8), is_found(Found::exact, "smaller space"));
  EXPECT_THAT(ask(16), is_found(Found::exact, "new reference"));
}

TEST_F(TunedConfigsTest, TakesTheDefaultOfTheNewestWinner) {
  tune(8, 10, "a", [](FinalRecord& record) { record.default_config = "older default"; });
  tune(8, 10, "b", [](FinalRecord& record) { record.device_class = "another"; });
  Key key = asked();
  key.device_class = "";
  EXPECT_EQ(ask(8, key).config, kDefault);
}

TEST_F(TunedConfigsTest, DoesNotDependOnTheOrderOfStoring) {
  std::vector<FinalRecord> records;
  for (const char* code : {"x", "y"}) {
    for (const std::int64_t batch : {4, 2, 8}) {
      records.push_back(sample_final(batch));  // all of the same instant
      records.back().code_digest = code;
      records.back().config = code + std::to_string(batch);
    }
  }
  auto reversed = ResultStore::open(dir.file("b.db"), ResultStore::Mode::create);
  for (auto record = records.begin(); record != records.end(); ++record) tune(*record);
  for (auto record = records.rbegin(); record != records.rend(); ++record)
    kerntune::testing::record_winner(reversed, *record);
  const auto other = TunedConfigs::open(dir.file("b.db")).resolve(asked());
  for (std::int64_t batch = 1; batch < 10; ++batch) EXPECT_EQ(ask(batch).config, other.pick(batch).config);
}

TEST_F(TunedConfigsTest, ListsItsKernels) {
  for (const char* kernel : {"gemm", "axpy"}) {
    tune(8, 10, "best", [&](FinalRecord& record) { record.kernel = kernel; });
  }
  EXPECT_THAT(open().kernels(), ElementsAre("axpy", "gemm"));
}

TEST_F(TunedConfigsTest, OfAStoreWithoutWinnersKnowsNothing) {
  EXPECT_THAT(open().kernels(), IsEmpty());
  EXPECT_THAT(ask(8), is_found(Found::fallback, ""));
}

TEST_F(TunedConfigsTest, IsASnapshot) {
  tune(8, 10, "before");
  const TunedConfigs configs = open();
  tune(8, 9, "after");
  EXPECT_EQ(configs.resolve(asked()).pick(8).config, "before");
}

TEST_F(TunedConfigsTest, AFamilyOutlivesItsFileAndItsConfigs) {
  tune(8, 10, "best");
  Family kept = open().resolve(asked());
  std::filesystem::remove(dir.file("a.db"));
  EXPECT_THAT(kept.pick(8), is_found(Found::exact, "best"));
}

TEST(TunedConfigs, WithoutAFileAnswersAndSaysWhy) {
  const TunedConfigs none;
  EXPECT_NE(none.error(), "");
  EXPECT_THAT(none.kernels(), IsEmpty());
  EXPECT_THAT(none.resolve({}).pick(1), is_found(Found::fallback, ""));
  EXPECT_THAT(Family().pick(1), is_found(Found::fallback, ""));
}

TEST(Found, HasTheNamesThatAreWrittenToJson) {
  EXPECT_EQ(name_of(Found::exact), "exact");
  EXPECT_EQ(name_of(Found::bucket), "bucket");
  EXPECT_EQ(name_of(Found::extrapolated), "extrapolated");
  EXPECT_EQ(name_of(Found::fallback), "default");
}

}  // namespace
}  // namespace kerntune::query
