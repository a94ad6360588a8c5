// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "strategies/shuffle.hpp"
#include "strategy_support.hpp"

namespace kerntune::search {
namespace {

TEST(Exhaustive, FollowsTheIndexOrder) {
  const ParamSpace space = half_space();
  const auto strategy = make_strategy("exhaustive", space, 9);
  for (Count index = 0; index < 10; ++index) {
    EXPECT_EQ(strategy->propose().config, space.at(index));
  }
}

TEST(Random, DependsOnTheSeed) {
  EXPECT_NE(make_strategy("random", bowl_space(), 1)->propose().config,
            make_strategy("random", bowl_space(), 2)->propose().config);
}

TEST(Shuffle, DrawsEachNumberOnce) {
  Rng rng(3);
  detail::Shuffle shuffle(1000);
  std::vector<Count> drawn;
  while (const auto next = shuffle.next(rng)) {
    drawn.push_back(*next);
  }
  std::ranges::sort(drawn);
  std::vector<Count> all(1000);
  std::iota(all.begin(), all.end(), Count{0});
  EXPECT_EQ(drawn, all);
}

// 24 orders of four numbers, 1000 draws of each expected: the chance of a chi-square (23 degrees) above 50 is 0.001,
// and the seeds are fixed.
TEST(Shuffle, MakesEveryOrderEquallyLikely) {
  std::map<std::vector<int>, int> orders;
  Rng rng(11);
  for (int round = 0; round < 24000; ++round) {
    detail::Shuffle shuffle(4);
    std::vector<int> order;
    while (const auto next = shuffle.next(rng)) {
      order.push_back(static_cast<int>(*next));
    }
    ++orders[order];
  }
  ASSERT_EQ(orders.size(), 24u);
  double chi_square = 0;
  for (const auto& [order, count] : orders) {
    chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  }
  EXPECT_LT(chi_square, 50);
}

TEST(Shuffle, ReachesTheWholeOfAHugeRange) {
  Rng rng(5);
  const Count huge = Count{1} << 100;
  detail::Shuffle shuffle(huge);
  Count largest = 0;
  for (int i = 0; i < 64; ++i) {
    largest = std::max(largest, shuffle.next(rng).value());
  }
  EXPECT_GT(largest, huge / 2);
  EXPECT_LT(largest, huge);
}

}  // namespace
}  // namespace kerntune::search
