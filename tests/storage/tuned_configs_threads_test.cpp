// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <kerntune/query/tuned_configs.hpp>
#include <kerntune/storage/result_store.hpp>

#include "support/counting_new.hpp"
#include "support/sample_records.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::query {
namespace {

using kerntune::testing::allocations;
using kerntune::testing::sample_final;

class TunedConfigsInUse : public ::testing::Test {
 protected:
  TunedConfigsInUse() {
    auto store = storage::ResultStore::open(dir.file("a.db"), storage::ResultStore::Mode::create);
    for (std::int64_t batch = 1; batch <= 512; batch *= 2) kerntune::testing::record_winner(store, sample_final(batch));
    configs = TunedConfigs::open(dir.file("a.db"));
  }

  kerntune::testing::TempDir dir;
  TunedConfigs configs;
  const Key key{"gemm", "k=4096,n=4096", "cc90-sm132", ""};
};

TEST_F(TunedConfigsInUse, AllocatesNothingToAnswer) {
  const Key unknown{"conv", "", "", ""};
  const long before = allocations();
  const Family tuned = configs.resolve(key);
  const Family untuned = configs.resolve(unknown);
  std::size_t bytes = 0;
  for (std::int64_t batch = -1; batch < 1000; ++batch) {
    bytes += tuned.pick(batch).config.size() + untuned.pick(batch).reason.size();
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_GT(bytes, 0u);
}

TEST_F(TunedConfigsInUse, MayBeReadByManyThreads) {
  std::atomic<long> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        const Family family = configs.resolve(key);
        for (std::int64_t batch = 1; batch <= 64; ++batch) {
          const Decision decision = family.pick(batch);
          if (decision.config != "block_x=128,tile=" + std::to_string(decision.tuned_batch)) ++wrong;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(TunedConfigsInUse, MayBeOpenedByManyThreads) {
  std::atomic<long> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        if (!TunedConfigs::open(dir.file("a.db")).error().empty()) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace kerntune::query
