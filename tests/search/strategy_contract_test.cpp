// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strategy_support.hpp"

namespace kerntune::search {
namespace {

using Answer = Strategy::Answer;

double time_of(const Config& config) {
  double time_ns = 100;
  for (const std::uint32_t value : config) {
    time_ns = time_ns * 1.3 + value;
  }
  return time_ns;
}

Feedback mixed_feedback(const Config& config) {
  if (config.front() % 3 == 0) {
    return rejected();
  }
  return config.front() % 3 == 1 ? slower(time_of(config)) : measured(time_of(config));
}

/// Runs to exhaustion or `limit` with `in_flight` ahead; the oldest is answered first.
std::vector<Config> proposals(Strategy& strategy, std::size_t in_flight, std::size_t limit = 1000) {
  std::vector<Config> all;
  std::deque<Config> flying;
  while (all.size() < limit) {
    const Strategy::Proposal proposal = strategy.propose();
    if (proposal.answer == Answer::config) {
      all.push_back(proposal.config);
      flying.push_back(proposal.config);
    }
    if (flying.empty()) {
      break;
    }
    if (flying.size() >= in_flight || proposal.answer != Answer::config) {
      strategy.observe(flying.front(), mixed_feedback(flying.front()));
      flying.pop_front();
    }
  }
  return all;
}

std::set<Config> distinct(const std::vector<Config>& configs) { return {configs.begin(), configs.end()}; }

class EveryStrategy : public testing::TestWithParam<std::string_view> {
 protected:
  static std::unique_ptr<Strategy> make(ParamSpace space, std::uint64_t seed = 1) {
    return make_strategy(GetParam(), std::move(space), seed);
  }
};

INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategy, testing::Values("exhaustive", "random", "local", "model"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(EveryStrategy, IsListedUnderItsName) {
  EXPECT_THAT(strategies(), testing::Contains(testing::Field(&StrategyInfo::name, GetParam())));
  EXPECT_EQ(make(half_space())->name(), GetParam());
}

TEST_P(EveryStrategy, ProposesEachConfigurationOnceThenIsExhausted) {
  const auto strategy = make(half_space());
  const std::vector<Config> all = proposals(*strategy, 1);
  EXPECT_EQ(all.size(), 105u);
  EXPECT_EQ(distinct(all).size(), 105u);
  EXPECT_EQ(strategy->propose().answer, Answer::exhausted);
}

TEST_P(EveryStrategy, ProposesEachConfigurationOnceWithManyInFlight) {
  const auto strategy = make(half_space());
  const std::vector<Config> all = proposals(*strategy, 16);
  EXPECT_EQ(all.size(), 105u);
  EXPECT_EQ(distinct(all).size(), 105u);
}

TEST_P(EveryStrategy, IsExhaustedAsSoonAsAllIsInFlight) {
  const auto strategy = make(half_space());
  const std::vector<Config> all = proposals(*strategy, 1000);
  EXPECT_EQ(distinct(all).size(), 105u);
}

TEST_P(EveryStrategy, ProposesOnlyConfigurationsOfTheSpace) {
  const ParamSpace space = half_space();
  EXPECT_THAT(proposals(*make(space), 3),
              testing::Each(testing::Truly([&](const Config& c) { return space.contains(c); })));
}

TEST_P(EveryStrategy, RepeatsItselfForTheSameSeed) {
  EXPECT_EQ(proposals(*make(bowl_space(), 7), 5, 300), proposals(*make(bowl_space(), 7), 5, 300));
}

TEST_P(EveryStrategy, NeverProposesWhatIsKnownFromElsewhere) {
  const ParamSpace space = half_space();
  const auto strategy = make(space);
  for (const Count index : {Count{0}, Count{50}, Count{104}}) {
    strategy->observe(space.at(index), measured(10));
  }
  const std::set<Config> seen = distinct(proposals(*strategy, 4));
  EXPECT_EQ(seen.size(), 102u);
  EXPECT_FALSE(seen.contains(space.at(50)));
}

TEST_P(EveryStrategy, IsExhaustedWhenAllIsKnownFromElsewhere) {
  const ParamSpace space = ParamSpace::build({range("x", 0, 1)}, {});
  const auto strategy = make(space);
  strategy->observe({0}, measured(10));
  strategy->observe({1}, rejected());
  EXPECT_EQ(strategy->propose().answer, Answer::exhausted);
}

TEST_P(EveryStrategy, IgnoresResultsOfConfigurationsOutsideTheSpace) {
  const auto strategy = make(half_space());
  strategy->observe({0, 0, 1}, measured(1));  // violates the constraint
  strategy->observe({0, 0}, measured(1));
  EXPECT_EQ(distinct(proposals(*strategy, 1)).size(), 105u);
}

TEST_P(EveryStrategy, GoesOnWhenEverythingFails) {
  const auto strategy = make(half_space());
  std::set<Config> seen;
  for (Strategy::Proposal next = strategy->propose(); next.answer == Answer::config; next = strategy->propose()) {
    seen.insert(next.config);
    strategy->observe(next.config, rejected());
  }
  EXPECT_EQ(seen.size(), 105u);
}

TEST_P(EveryStrategy, ServesASpaceOfOneConfiguration) {
  EXPECT_EQ(proposals(*make(ParamSpace::build({range("x", 4, 4)}, {})), 1), (std::vector<Config>{{0}}));
}

TEST_P(EveryStrategy, SearchesASpaceTooLargeToList) {
  std::vector<Param> params;
  for (int p = 0; p < 16; ++p) {
    params.push_back(range("p" + std::to_string(p), 0, 99));  // 10^32 configurations
  }
  EXPECT_EQ(distinct(proposals(*make(ParamSpace::build(params, {})), 8, 100)).size(), 100u);
}

TEST_P(EveryStrategy, LivesThroughMoreResultsThanItRemembers) {
  EXPECT_EQ(distinct(proposals(*make(bowl_space()), 2, 700)).size(), 700u);
}

TEST_P(EveryStrategy, RepeatsNothingAfterMoreInFlightThanItPlansFor) {
  const auto strategy = make(bowl_space());
  std::vector<Config> all;
  for (int i = 0; i < 1000; ++i) {
    all.push_back(strategy->propose().config);
  }
  for (std::size_t i = 0; i < 550; ++i) {
    strategy->observe(all[i], measured(bowl_ns(all[i])));
  }
  for (int i = 0; i < 500; ++i) {
    all.push_back(strategy->propose().config);
  }
  EXPECT_EQ(distinct(all).size(), 1500u);
}

TEST(MakeStrategy, NamesTheKnownOnesWhenAskedForAnother) {
  const std::string message = space_error_of([] { (void)make_strategy("annealing", half_space(), 1); });
  EXPECT_THAT(message, testing::AllOf(testing::HasSubstr("'annealing'"), testing::HasSubstr("exhaustive, random")));
}

TEST(MakeStrategy, RefusesAnEmptySpace) {
  const ParamSpace empty = ParamSpace::build({range("x", 0, 3)}, {"x > 5"});
  EXPECT_THAT(space_error_of([&] { (void)make_strategy("random", empty, 1); }),
              testing::HasSubstr("nothing to search"));
}

TEST(MakeStrategy, KnowsTheDefault) {
  EXPECT_EQ(make_strategy(default_strategy(), half_space(), 1)->name(), default_strategy());
}

}  // namespace
}  // namespace kerntune::search
