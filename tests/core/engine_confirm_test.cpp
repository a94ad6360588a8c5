// SPDX-License-Identifier: Apache-2.0
#include "engine/confirm.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "fake_session.hpp"

namespace kerntune {
namespace {

using test::FakeKernel;
using test::FakeSession;

Confirmed play(std::vector<FakeKernel>& kernels, std::uint64_t seed = 1, const ConfirmPolicy& policy = {}) {
  FakeSession session(seed, 1e-4);
  std::vector<Contender> contenders;
  for (FakeKernel& kernel : kernels) contenders.push_back({&kernel, &kernel == &kernels.back(), kernel.time_ns});
  return confirm(session, contenders, policy, [](int) {});
}

TEST(Confirm, SeparatesWhatIsThreePercentApart) {
  std::vector<FakeKernel> kernels{{1030e3, 0.02}, {1000e3, 0.02}, {2000e3, 0.02}};
  const Confirmed result = play(kernels);
  EXPECT_EQ(result.leader, 1U);
  EXPECT_FALSE(result.entries[0].tie);
  EXPECT_GT(result.entries[0].ratio_interval.low, 1.01);
  EXPECT_TRUE(result.entries[1].tie);
  EXPECT_FALSE(result.unresolved);
}

TEST(Confirm, DeclaresATieWithinTheMargin) {
  std::vector<FakeKernel> kernels{{1002e3, 0.005}, {1000e3, 0.005}};
  const Confirmed result = play(kernels);
  EXPECT_TRUE(result.entries[0].tie);
  EXPECT_TRUE(result.entries[1].tie);
  EXPECT_FALSE(result.unresolved);
}

TEST(Confirm, SaysUnresolvedWhenNoiseHidesTheDifference) {
  std::vector<FakeKernel> kernels{{1000e3, 0.9}, {1010e3, 0.9}};
  const Confirmed result = play(kernels);
  EXPECT_TRUE(result.unresolved);
  EXPECT_EQ(result.rounds, ConfirmPolicy{}.max_rounds);
}

TEST(Confirm, MeasuresTheKeptDefaultToTheEndThoughItIsSlower) {
  std::vector<FakeKernel> kernels{{1000e3, 0.03}, {1004e3, 0.03}, {3000e3, 0.03}};
  const Confirmed result = play(kernels);
  EXPECT_EQ(result.entries[2].round_ns.size(), static_cast<std::size_t>(result.rounds));
  EXPECT_NEAR(result.entries[2].ratio, 3, 0.1);
}

TEST(Confirm, DropsAClearlySlowerContenderEarly) {
  std::vector<FakeKernel> kernels{{1500e3, 0.03}, {1000e3, 0.03}, {1004e3, 0.03}};
  ConfirmPolicy policy;
  policy.half_width = 0;  // never satisfied: all rounds are played
  const Confirmed result = play(kernels, 1, policy);
  EXPECT_LT(result.entries[0].round_ns.size(), static_cast<std::size_t>(policy.min_rounds));
  EXPECT_EQ(result.rounds, policy.max_rounds);
}

TEST(Confirm, DropsNobodyForLosingToABurst) {
  std::vector<FakeKernel> kernels{{1100e3, 0.001}, {1000e3, 0.001}};
  kernels.push_back({3000e3, 0.001});  // kept
  kernels[0].first = 0.7;
  kernels[0].first_launches = 3;  // then its power takes the clock down
  EXPECT_EQ(play(kernels).leader, 1U);
}

TEST(Confirm, GoesOnWithoutAContenderThatFails) {
  std::vector<FakeKernel> kernels{{900e3, 0.01}, {1000e3, 0.01}};
  kernels[0].fail_after = 4;
  const Confirmed result = play(kernels);
  EXPECT_TRUE(result.entries[0].failed);
  EXPECT_EQ(result.leader, 1U);
}

TEST(Confirm, PicksTheSameWinnerInNearlyEveryNoisyRun) {
  int wins = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<FakeKernel> kernels{{1020e3, 0.04}, {1000e3, 0.04}, {1500e3, 0.04}};
    wins += play(kernels, seed).leader == 1 ? 1 : 0;
  }
  EXPECT_GE(wins, 48);
}

TEST(Confirm, EndsWithTheSamplesThatARecordingHas) {
  std::vector<FakeKernel> kernels{{1000e3, 0.01}, {1100e3, 0.01}};
  for (FakeKernel& kernel : kernels) kernel.recorded = 3;
  const Confirmed result = play(kernels);
  EXPECT_TRUE(result.exhausted);
  EXPECT_EQ(result.entries[0].round_ns.size(), 3U);
  EXPECT_EQ(result.leader, 0U);
}

TEST(Confirm, PlaysOneRoundByTheEstimatesWhenNothingFreshIsLeft) {
  std::vector<FakeKernel> kernels{{1000e3, 0.01}, {900e3, 0.01}};
  for (FakeKernel& kernel : kernels) kernel.recorded = 0;
  const Confirmed result = play(kernels);
  EXPECT_TRUE(result.exhausted);
  EXPECT_EQ(result.leader, 1U);
}

TEST(Judge, CoversTheTrueRatioOfEveryContenderAsOftenAsItSays) {
  search::Rng rng(11);
  const ConfirmPolicy policy;
  constexpr int kTrials = 400;
  for (const int rounds : {3, 9, 40}) {
    int covered = 0;
    for (int t = 0; t < kTrials; ++t) {
      std::vector<std::vector<double>> round_ns(8);
      for (auto& of_one : round_ns)
        for (int r = 0; r < rounds; ++r) {  // a sum of uniforms is nearly normal; sigma 1 %
          double sum = 0;
          for (int i = 0; i < 12; ++i) sum += rng.unit();
          of_one.push_back(1000 * (1 + 0.01 * (sum - 6)));
        }
      const Judgement judgement = judge(round_ns, policy);
      covered += std::all_of(judgement.entries.begin(), judgement.entries.end(),
                             [](const Judgement::Entry& e) { return e.interval.low <= 1 + 1e-9; })
                     ? 1
                     : 0;
    }
    EXPECT_GT(covered, 0.9 * kTrials) << rounds << " rounds; the leader is the luckiest of eight";
  }
}

TEST(Judge, SeesAHugeGainThroughHugeScatter) {
  // A machine so busy that every other run takes twice as long; the gain is fortyfold.
  search::Rng rng(5);
  std::vector<std::vector<double>> round_ns(2);
  for (int r = 0; r < 20; ++r) {
    round_ns[0].push_back(100 * (rng.unit() < 0.5 ? 1 : 2 + rng.unit()));
    round_ns[1].push_back(4000 * (rng.unit() < 0.5 ? 1 : 2 + rng.unit()));
  }
  const Judgement judgement = judge(round_ns, ConfirmPolicy{});
  EXPECT_EQ(judgement.leader, 0U);
  EXPECT_FALSE(judgement.entries[1].tie);
  EXPECT_GT(judgement.entries[1].interval.low, 10);
}

TEST(PairedRatios, UsesTheRoundsThatBothPlayed) {
  EXPECT_EQ(paired_ratios({2, 4, 6}, {1, 2}), (std::vector<double>{2, 2}));
}

}  // namespace
}  // namespace kerntune
