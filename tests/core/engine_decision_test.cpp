// SPDX-License-Identifier: Apache-2.0
#include "engine/decision.hpp"

#include <memory>
#include <set>

#include <gtest/gtest.h>

#include <kerntune/search/rng.hpp>

#include "engine/finalists.hpp"
#include "engine/racing.hpp"
#include "fake_session.hpp"

namespace kerntune {
namespace {

using test::FakeKernel;
using test::FakeSession;

Standing standing(const std::string& text, double ratio, bool incumbent = false) {
  Standing s{text, incumbent, ratio < 1.01, ratio, 0, 0, {}};
  for (int r = 0; r < 21; ++r) s.round_ns.push_back(1000 * ratio * (1 + 1e-4 * (r % 3)));
  return s;
}

TEST(Decide, KeepsAnIncumbentThatNobodyBeatsByOnePercent) {
  const auto decision = decide({standing("new", 1), standing("old", 1.008, true)}, 0.0005, {});
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->winner, 1U);
  ASSERT_TRUE(decision->defence);
  EXPECT_FALSE(decision->defence->replaced);
  EXPECT_NEAR(decision->defence->ratio, 1.008, 1e-6);
}

TEST(Decide, ReplacesAnIncumbentOnAProvenGain) {
  const auto decision = decide({standing("new", 1), standing("old", 1.02, true)}, 0.0005, {});
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->winner, 0U);
  EXPECT_TRUE(decision->defence->replaced);
  EXPECT_GT(decision->defence->interval.low, 1.01);
}

TEST(Decide, KeepsAnIncumbentWhoseLossIsNotProven) {
  const auto decision = decide({standing("new", 1), standing("old", 1.02, true)}, 0.02, {});
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->winner, 1U) << "2 % measured, and noise of 2 %";
}

TEST(Decide, AsksEachChallengerForTheWholeGain) {
  Standing frugal = standing("frugal", 1.004);
  Standing fast = standing("fast", 1);
  fast.regs = 64;
  const auto decision = decide({fast, frugal, standing("old", 1.013, true)}, 0.0005, {});
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->winner, 0U) << "the one with fewer registers is not 1 % faster than the incumbent";
}

TEST(Decide, PrefersFewerResourcesThenTextAmongEquals) {
  Standing a = standing("a", 1.003), b = standing("b", 1), c = standing("c", 1.002);
  a.regs = 64;
  b.regs = c.regs = 32;
  b.shared_bytes = 1024;
  EXPECT_EQ(decide({a, b, c}, 0.0005, {})->winner, 2U);
  c.shared_bytes = 1024;
  EXPECT_EQ(decide({a, b, c}, 0.0005, {})->winner, 1U);
}

TEST(Decide, PassesOverATieThatIsOnlyNotProvenSlower) {
  EXPECT_EQ(decide({standing("a", 1.009), standing("b", 1)}, 0.0005, {})->winner, 1U);
}

TEST(Decide, HasNothingToSayWithoutRounds) {
  Standing failed = standing("a", 1);
  failed.round_ns.clear();
  EXPECT_FALSE(decide({failed}, 0.001, {}));
}

/// Screening, final and decision over kernels that are all the same, in another order and with other noise each time.
std::string pick_among_equals(std::uint64_t seed, bool with_incumbent) {
  constexpr double kNoise = 0.06;  // +-3 %
  constexpr double kDrift = 1e-5;  // per launch: a clock that falls by a tenth over ten thousand
  constexpr std::size_t kCount = 20;
  FakeSession session(seed, kDrift);
  search::Rng rng(seed + 1000);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < kCount; ++i) order.push_back(i);
  for (std::size_t i = kCount; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);

  const RacePolicy race_policy;
  RaceState state(race_policy);
  std::vector<std::unique_ptr<FakeKernel>> kernels(kCount);
  std::vector<Screened> screened;
  for (const std::size_t i : order) {
    kernels[i] = std::make_unique<FakeKernel>(1e6, kNoise);
    auto raced = race(session, *kernels[i], state, race_policy);
    if (raced->slower) continue;
    state.learn(raced->timing.samples_ns);
    screened.push_back({{static_cast<std::uint32_t>(i)},
                        std::string(1, static_cast<char>('a' + i)),
                        raced->median_ns,
                        raced->timing.samples_ns.size()});
    if (!state.has_best() || raced->median_ns < state.best_ns(3)) state.lead(raced->timing.samples_ns);
  }
  const std::string incumbent = with_incumbent ? "k" : "";
  std::vector<Screened> finalists = choose_finalists(screened, state.noise(), 8);
  if (with_incumbent &&
      std::none_of(finalists.begin(), finalists.end(), [&](const Screened& s) { return s.text == incumbent; }))
    finalists.push_back({{10}, incumbent, 1e6, 0});
  std::vector<Contender> contenders;
  for (const Screened& s : finalists)
    contenders.push_back({kernels[s.config.front()].get(), s.text == incumbent, s.median_ns});
  const ConfirmPolicy policy;
  const Confirmed result = confirm(session, contenders, policy, [](int) {});
  std::vector<Standing> standings;
  for (std::size_t c = 0; c < finalists.size(); ++c) {
    const Confirmed::Entry& e = result.entries[c];
    standings.push_back({finalists[c].text, finalists[c].text == incumbent, e.tie, e.ratio, 0, 0, e.round_ns});
  }
  const auto decision = decide(standings, result.sigma, policy);
  return decision ? standings[decision->winner].text : "none";
}

TEST(Decide, PicksTheSameOfTwentyEqualsInAHundredNoisyRuns) {
  std::set<std::string> picks;
  for (std::uint64_t seed = 0; seed < 100; ++seed) picks.insert(pick_among_equals(seed, true));
  EXPECT_EQ(picks, std::set<std::string>{"k"}) << "the incumbent";
}

TEST(Decide, PicksTheSameOfTwentyEqualsWithoutAnIncumbent) {
  std::set<std::string> picks;
  for (std::uint64_t seed = 0; seed < 100; ++seed) picks.insert(pick_among_equals(seed, false));
  EXPECT_EQ(picks, std::set<std::string>{"a"}) << "the first by its text";
}

}  // namespace
}  // namespace kerntune
