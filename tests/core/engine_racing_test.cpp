// SPDX-License-Identifier: Apache-2.0
#include "engine/racing.hpp"

#include <gtest/gtest.h>

#include "fake_session.hpp"

namespace kerntune {
namespace {

using test::FakeKernel;
using test::FakeSession;

RaceState state_with_best(double best_ns, const RacePolicy& policy) {
  RaceState state(policy);
  state.lead(Samples(3, best_ns));
  return state;
}

TEST(Race, StopsAHopelessCandidateAfterOneLaunch) {
  const RacePolicy policy;
  FakeSession session(1);
  FakeKernel slow(4000, 0.01);
  const auto result = race(session, slow, state_with_best(1000, policy), policy);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->slower);
  EXPECT_EQ(slow.launches, 1);
}

TEST(Race, RunsTheWholeCourseForAFasterCandidate) {
  const RacePolicy policy;
  FakeSession session(1);
  FakeKernel fast(900, 0.01);
  const auto result = race(session, fast, state_with_best(1000, policy), policy);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->slower);
  EXPECT_EQ(result->timing.samples_ns.size(), 3U);
  EXPECT_NEAR(result->median_ns, 900, 20);
}

TEST(Race, SpendsFewLaunchesOnWhatIsTenPercentSlower) {
  const RacePolicy policy;
  FakeSession session(1);
  FakeKernel slower(1100, 0.01);
  const auto result = race(session, slower, state_with_best(1000, policy), policy);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->slower);
  EXPECT_LE(slower.launches, 3);
}

TEST(Race, DoesNotThrowOutATieOnNoise) {
  const RacePolicy policy;
  int thrown_out = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    FakeSession session(seed);
    FakeKernel tie(1000, 0.01);
    thrown_out += race(session, tie, state_with_best(1000, policy), policy)->slower ? 1 : 0;
  }
  EXPECT_LE(thrown_out, 30);  // a tie that loses is no loss; it must only not be the rule
}

TEST(Race, ComparesFirstSamplesWithFirstSamples) {
  const RacePolicy policy;
  RaceState state(policy);
  state.lead({1300, 1000, 1000});  // clocks were rising
  FakeSession session(1);
  FakeKernel equal(1000, 0.001);
  equal.first = 1.3;
  EXPECT_FALSE(race(session, equal, state, policy)->slower);
}

TEST(Race, DoesNotJudgeByOneSampleThatIsALittleSlow) {
  const RacePolicy policy;
  FakeSession session(1);
  FakeKernel best(1000, 0.001);
  best.first = 1.04;
  const auto result = race(session, best, state_with_best(1000, policy), policy);
  EXPECT_FALSE(result->slower);
  EXPECT_EQ(best.launches, 3);
}

TEST(Race, EndsWithTheSamplesThatARecordingHas) {
  const RacePolicy policy;
  FakeSession session(1);
  FakeKernel recorded(1000, 0.001);
  recorded.recorded = 2;
  const auto result = race(session, recorded, RaceState(policy), policy);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->timing.samples_ns.size(), 2U);
  EXPECT_TRUE(result->timing.exhausted);
  EXPECT_EQ(race(session, recorded, RaceState(policy), policy).error().reason, Reason::unsupported);
}

TEST(Race, PassesOnARefusedLaunch) {
  const RacePolicy policy;
  FakeSession session(1);
  FakeKernel refused(1000, 0.01);
  refused.fail_after = 2;
  const auto result = race(session, refused, RaceState(policy), policy);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, Reason::launch_error);
}

TEST(RaceState, LearnsNoiseAndNeverGoesBelowTheFloor) {
  const RacePolicy policy;
  RaceState state(policy);
  EXPECT_GT(state.noise(), policy.noise_floor) << "what is not known is not assumed to be steady";
  for (int i = 0; i < 5; ++i) state.learn(Samples(3, 1000.0));
  EXPECT_EQ(state.noise(), policy.noise_floor);
  for (int i = 0; i < 31; ++i) state.learn({900, 1000, 1100});
  EXPECT_NEAR(state.noise(), 0.2 / 1.693, 1e-9);
}

TEST(Timings, AppendKeepsEveryFlagInItsPlace) {
  Timing all{{1, 2}, {}, 1500, false, 2, 3};
  append(all, {{3}, {kThrottled}, 1200, false, 1, 3});
  append(all, {{4}, {}, 1500, true, 1, 4});
  EXPECT_EQ(all.samples_ns, (Samples{1, 2, 3, 4}));
  EXPECT_EQ(all.flags, (SampleFlags{0, 0, kThrottled, 0}));
  EXPECT_DOUBLE_EQ(all.clock_mhz, 1425);
  EXPECT_TRUE(all.exhausted);
  EXPECT_EQ(all.launches, 4);
}

}  // namespace
}  // namespace kerntune
