// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include <kerntune/storage/result_store.hpp>

#include "content_digest.hpp"
#include "support/sample_records.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::storage {
namespace {

using kerntune::testing::sample_final;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StoreFinals : public ::testing::Test {
 protected:
  std::vector<std::string> current(const std::string& kernel = "") {
    std::vector<std::string> configs;
    for (const auto& record : store.finals(kernel)) configs.push_back(record.config);
    return configs;
  }

  kerntune::testing::TempDir dir;
  ResultStore store = ResultStore::open(dir.file("a.db"), ResultStore::Mode::create);
};

TEST_F(StoreFinals, GivesBackEveryField) {
  FinalRecord stored = sample_final();
  stored.unresolved = true;
  kerntune::testing::record_winner(store, stored);
  const auto finals = store.finals();
  ASSERT_EQ(finals.size(), 1u);
  const FinalRecord& found = finals[0];
  EXPECT_EQ(found.kernel, stored.kernel);
  EXPECT_EQ(found.dims, stored.dims);
  EXPECT_EQ(found.other_dims, stored.other_dims);
  EXPECT_EQ(found.batch_dim, stored.batch_dim);
  EXPECT_EQ(found.ties, stored.ties);
  EXPECT_TRUE(found.unresolved);
  EXPECT_EQ(found.speedup_low, stored.speedup_low);
  EXPECT_EQ(final_digest(found), final_digest(stored));  // which covers all the others
}

TEST_F(StoreFinals, TheNewestOfAnIdentityIsCurrent) {
  FinalRecord record = sample_final();
  record.config = "new";
  record.finished_unix_us += 1;
  kerntune::testing::record_winner(store, record);
  record.config = "old";
  record.finished_unix_us -= 1;
  kerntune::testing::record_winner(store, record);
  EXPECT_THAT(current(), ElementsAre("new"));
}

TEST_F(StoreFinals, OfEqualTimesTheLargerIdIsCurrentWhateverTheOrder) {
  FinalRecord a = sample_final();
  FinalRecord b = sample_final();
  a.config = "a";
  b.config = "b";
  const std::string expected = final_digest(a) > final_digest(b) ? "a" : "b";
  kerntune::testing::record_winner(store, a);
  kerntune::testing::record_winner(store, b);
  auto other = ResultStore::open(dir.file("b.db"), ResultStore::Mode::create);
  kerntune::testing::record_winner(other, b);
  kerntune::testing::record_winner(other, a);
  EXPECT_THAT(current(), ElementsAre(expected));
  EXPECT_EQ(other.finals()[0].config, expected);
}

TEST_F(StoreFinals, WinnersOfOtherIdentitiesStayCurrent) {
  kerntune::testing::record_winner(store, sample_final());
  for (std::string FinalRecord::* field :
       {&FinalRecord::code_digest, &FinalRecord::space_digest, &FinalRecord::reference_digest, &FinalRecord::toolchain,
        &FinalRecord::policy, &FinalRecord::device_class, &FinalRecord::dims, &FinalRecord::kernel}) {
    FinalRecord other = sample_final();
    other.*field = "other";
    kerntune::testing::record_winner(store, other);
  }
  EXPECT_EQ(store.finals().size(), 9u);
}

TEST_F(StoreFinals, AreSortedByKernelSizesDeviceAndBatch) {
  const auto add = [&](const char* kernel, const char* sizes, const char* device, std::int64_t batch,
                       const char* name) {
    FinalRecord record = sample_final(batch);
    record.kernel = kernel;
    record.other_dims = sizes;
    record.dims = std::string(sizes) + std::to_string(batch);
    record.device_class = device;
    record.config = name;
    kerntune::testing::record_winner(store, record);
  };
  add("b", "n=1", "d", 1, "6");
  add("a", "n=2", "d", 1, "5");
  add("a", "n=1", "e", 1, "4");
  add("a", "n=1", "d", 10, "3");
  add("a", "n=1", "d", 9, "2");
  EXPECT_THAT(current(), ElementsAre("2", "3", "4", "5", "6"));
  EXPECT_THAT(current("b"), ElementsAre("6"));
  EXPECT_THAT(current("c"), IsEmpty());
}

TEST_F(StoreFinals, StoringTheSameTwiceChangesNothing) {
  kerntune::testing::record_winner(store, sample_final());
  kerntune::testing::record_winner(store, sample_final());
  ASSERT_EQ(store.finals().size(), 1u);
  EXPECT_EQ(store.finals()[0].ties.size(), 2u);
}

TEST_F(StoreFinals, RefusesWhatNoComparisonGives) {
  for (double FinalRecord::* field : {&FinalRecord::time_ns, &FinalRecord::default_time_ns, &FinalRecord::speedup,
                                      &FinalRecord::speedup_low, &FinalRecord::speedup_high}) {
    for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
      FinalRecord record = sample_final();
      record.*field = bad;
      EXPECT_THROW(store.record_final(record), StorageError);
    }
  }
  EXPECT_THROW(store.record_final(sample_final(0)), StorageError);
  EXPECT_THAT(store.finals(), IsEmpty());
}

}  // namespace
}  // namespace kerntune::storage
