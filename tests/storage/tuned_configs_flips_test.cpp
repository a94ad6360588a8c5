// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include <kerntune/query/tuned_configs.hpp>
#include <kerntune/storage/result_store.hpp>

#include "snapshot_file.hpp"
#include "support/answers.hpp"
#include "support/files.hpp"
#include "support/sample_records.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::query {
namespace {

using namespace kerntune::testing;
using storage::ResultStore;

constexpr std::int64_t kBatches[] = {1, 8, 16, 64};

class TunedConfigsFlips : public ::testing::Test {
 protected:
  void SetUp() override {
    const TempDir dir;
    {
      auto store = ResultStore::open(dir.file("a.db"), ResultStore::Mode::create);
      for (const std::int64_t batch : kBatches) {
        kerntune::testing::record_winner(store, sample_final(batch));
        auto again = sample_final(batch, 19);
        again.config = "newest";
        again.finished_unix_us += 1;
        kerntune::testing::record_winner(store, again);
      }
    }
    original = bytes_of(read_file(dir.file("a.db")));
    expected = answers_of(detail::read_snapshot(original, {}, "a.db"));
    ASSERT_NE(expected, "");
  }
  // Right, or nothing with a reason.
  void expect_no_wrong_answer(const std::vector<std::byte>& damaged) {
    const auto snapshot = detail::read_snapshot(damaged, {}, "a.db");
    if (snapshot.error.empty()) {
      EXPECT_EQ(answers_of(snapshot), expected);
      ++right;
    } else {
      EXPECT_TRUE(snapshot.kernels.empty());
      ++refused;
    }
  }

  std::vector<std::byte> original;
  std::string expected;
  int right = 0, refused = 0;
  std::mt19937_64 chance{11};
};

TEST_F(TunedConfigsFlips, OneFlippedBitNeverGivesAWrongAnswer) {
  for (int i = 0; i < 3000; ++i) {
    auto damaged = original;
    const auto bit = chance() % (8 * damaged.size());
    damaged[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    SCOPED_TRACE("bit " + std::to_string(bit));
    expect_no_wrong_answer(damaged);
  }
  EXPECT_GT(right, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(TunedConfigsFlips, ManyFlippedBitsNeverGiveAWrongAnswer) {
  for (int i = 0; i < 1000; ++i) {
    auto damaged = original;
    for (auto flips = 2 + chance() % 30; flips > 0; --flips) {
      damaged[chance() % damaged.size()] ^= static_cast<std::byte>(1 << chance() % 8);
    }
    SCOPED_TRACE(i);
    expect_no_wrong_answer(damaged);
  }
}

TEST_F(TunedConfigsFlips, PagesInTheWrongPlaceNeverGiveAWrongAnswer) {
  constexpr std::size_t kPage = 4096;
  const std::size_t pages = original.size() / kPage;
  for (int i = 0; i < 300; ++i) {
    auto damaged = original;
    const auto from = chance() % pages, to = chance() % pages;
    std::copy_n(original.begin() + static_cast<std::ptrdiff_t>(from * kPage), kPage,
                damaged.begin() + static_cast<std::ptrdiff_t>(to * kPage));
    SCOPED_TRACE(std::to_string(from) + " over " + std::to_string(to));
    expect_no_wrong_answer(damaged);
  }
}

}  // namespace
}  // namespace kerntune::query
