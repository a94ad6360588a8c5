// SPDX-License-Identifier: Apache-2.0
#include "engine/statistics.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <kerntune/search/rng.hpp>

namespace kerntune {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median(std::vector{3.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median(std::vector{4.0, 1.0, 2.0, 3.0}), 2.5);
}

TEST(Statistics, NoiseIgnoresOneOutlier) {
  const std::vector<double> values{99, 100, 101, 100, 99, 101, 100, 5000};
  EXPECT_NEAR(relative_noise(values), 0.0148, 1e-3);
}

TEST(Statistics, NoiseOfTwoValuesIsUnknown) { EXPECT_EQ(relative_noise(std::vector{1.0, 2.0}), 0); }

TEST(Statistics, NoiseOfThreeValuesComesFromTheirRange) {
  EXPECT_NEAR(small_sample_noise(std::vector{99.0, 100.0, 101.0}), 0.02 / 1.693, 1e-9);
  EXPECT_EQ(small_sample_noise(std::vector{1.0}), 0);
}

TEST(Statistics, QuantilesOfTheNormalDistribution) {
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-9);
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-5);
  EXPECT_NEAR(normal_quantile(0.0001), -3.719016, 1e-5);
}

TEST(Statistics, IntervalTakesTheRanksThatBinomialsGive) {
  // n = 9: P(X(2) < median < X(8)) = 1 - 2 * (1 + 9) / 512 = 0.9609; X(3), X(7) would cover 0.82.
  const std::vector<double> values{9, 8, 7, 6, 5, 4, 3, 2, 1};
  const Interval interval = median_interval(values);
  EXPECT_EQ(interval.low, 2);
  EXPECT_EQ(interval.high, 8);
}

TEST(Statistics, IntervalOfFewValuesIsTheRange) {
  const Interval interval = median_interval(std::vector{3.0, 1.0, 2.0});
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 3);
}

TEST(Statistics, IntervalCoversTheTrueMedianAsOftenAsItSays) {
  search::Rng rng(7);
  int covered = 0;
  constexpr int kTrials = 4000;
  for (int t = 0; t < kTrials; ++t) {
    std::vector<double> sample(15);
    std::generate(sample.begin(), sample.end(), [&] { return rng.unit(); });
    const Interval interval = median_interval(sample);
    covered += interval.low < 0.5 && 0.5 < interval.high ? 1 : 0;
  }
  EXPECT_GT(covered, 0.95 * kTrials);  // n = 15 gives 96.5 %
  EXPECT_LT(covered, 0.98 * kTrials);
}

}  // namespace
}  // namespace kerntune
