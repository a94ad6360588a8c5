// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "strategy_recording.hpp"

namespace kerntune::search {
namespace {

const Recording& convolution() {
  static const Recording recording = read_recording(KERNTUNE_TEST_DATA "/strategy/convolution_milo_A4000.json.gz");
  return recording;
}

/// Mean over 20 seeds of optimum / best time after `budget` evaluations.
double mean_fraction(std::string_view strategy, std::size_t budget, std::size_t in_flight) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto run = make_strategy(strategy, convolution().space, seed);
    sum += search_recording(convolution(), *run, budget, in_flight).back();
  }
  return sum / 20;
}

TEST(RecordedConvolution, IsWhole) {
  EXPECT_EQ(convolution().times_ns.size(), 4362u);
  EXPECT_NEAR(convolution().optimum_ns, 1.02117e6, 10);
}

// The exact expectation of random search is 0.829 after 100 and 0.885 after 200 evaluations; over 20 seeds the mean of
// any of these has a standard error of about 0.02.
TEST(RecordedConvolution, RandomSearchScoresAsCalculated) { EXPECT_NEAR(mean_fraction("random", 100, 1), 0.829, 0.05); }

TEST(RecordedConvolution, LocalSearchBeatsRandomSearch) { EXPECT_GT(mean_fraction("local", 200, 1), 0.92); }

TEST(RecordedConvolution, ModelFindsNearlyTheBest) { EXPECT_GT(mean_fraction("model", 200, 1), 0.95); }

TEST(RecordedConvolution, ModelLosesLittleWithSixteenInFlight) { EXPECT_GT(mean_fraction("model", 200, 16), 0.93); }

}  // namespace
}  // namespace kerntune::search
