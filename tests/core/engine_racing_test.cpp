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
  state.best_ns = best_ns;
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
  EXPECT_EQ(result->samples.size(), 31U);
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

TEST(Race, StopsGrowingOnceEnoughTimeIsSpent) {
  const RacePolicy policy;
  FakeSession session(1);
  FakeKernel heavy(50e6, 0.001);
  const auto result = race(session, heavy, RaceState(policy), policy);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->samples.size(), 3U);
}

TEST(Race, PassesOnARefusedLaunch) {
  const RacePolicy policy;
  FakeSession session(1);
  FakeKernel refused(1000, 0.01);
  refused.fail_after = 5;
  const auto result = race(session, refused, RaceState(policy), policy);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, Reason::launch_error);
}

TEST(RaceState, LearnsNoiseAndNeverGoesBelowTheFloor) {
  const RacePolicy policy;
  RaceState state(policy);
  state.learn(Samples(20, 1000.0));
  EXPECT_EQ(state.noise(), policy.noise_floor);
  state.learn({900, 1000, 1100, 900, 1000, 1100, 900, 1100});
  EXPECT_GT(state.noise(), policy.noise_floor);
}

}  // namespace
}  // namespace kerntune
