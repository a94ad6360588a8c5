// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <limits>

#include <gtest/gtest.h>

#include "strategy_support.hpp"

namespace kerntune::search {
namespace {

constexpr std::size_t kNotFound = std::numeric_limits<std::size_t>::max();

/// As a tuner that races candidates against the best: one that is not faster is stopped at the best's time.
Feedback race(double time_ns, double best_ns) { return time_ns < best_ns ? measured(time_ns) : slower(best_ns); }
Feedback full(double time_ns, double /*best_ns*/) { return measured(time_ns); }

/// Evaluations until the optimum of the bowl is found.
std::size_t evaluations_to_optimum(Strategy& strategy, std::size_t in_flight,
                                   Feedback (*answer)(double, double) = full) {
  std::deque<Config> flying;
  double best_ns = std::numeric_limits<double>::infinity();
  for (std::size_t done = 1; done <= 4096; ++done) {
    while (flying.size() < in_flight) {
      flying.push_back(strategy.propose().config);
    }
    const double time_ns = bowl_ns(flying.front());
    strategy.observe(flying.front(), answer(time_ns, best_ns));
    flying.pop_front();
    best_ns = std::min(best_ns, time_ns);
    if (best_ns == 1000) {
      return done;
    }
  }
  return kNotFound;
}

TEST(Bowl, HasOneOptimum) {
  const ParamSpace space = bowl_space();
  int optima = 0;
  for (Count index = 0; index < space.count(); ++index) {
    optima += bowl_ns(space.at(index)) <= 1000 ? 1 : 0;
  }
  EXPECT_EQ(optima, 1);
  EXPECT_EQ(bowl_ns({5, 2, 6, 1}), 1000);
}

class SearchingStrategy : public testing::TestWithParam<std::string_view> {};

INSTANTIATE_TEST_SUITE_P(Strategies, SearchingStrategy, testing::Values("local", "model"),
                         [](const auto& instance) { return std::string(instance.param); });

// Of 4,096 configurations; random search needs 2,048 on average.
TEST_P(SearchingStrategy, FindsTheOptimumOfABowl) {
  EXPECT_LE(evaluations_to_optimum(*make_strategy(GetParam(), bowl_space(), 1), 1), 120u);
}

TEST_P(SearchingStrategy, FindsItWithSixteenInFlight) {
  EXPECT_LE(evaluations_to_optimum(*make_strategy(GetParam(), bowl_space(), 1), 16), 200u);
}

TEST_P(SearchingStrategy, FindsItWhenSlowerCandidatesAreStopped) {
  EXPECT_LE(evaluations_to_optimum(*make_strategy(GetParam(), bowl_space(), 1), 1, race), 200u);
}

TEST_P(SearchingStrategy, StartsFromWhatIsKnown) {
  const ParamSpace space = bowl_space();
  const auto strategy = make_strategy(GetParam(), space, 1);
  Rng rng(2);
  for (int i = 0; i < 19; ++i) {
    const Config config = space.sample(rng);
    strategy->observe(config, measured(bowl_ns(config)));
  }
  strategy->observe({5, 2, 6, 2}, measured(bowl_ns({5, 2, 6, 2})));  // next to the optimum
  EXPECT_LE(evaluations_to_optimum(*strategy, 1), 40u);
}

}  // namespace
}  // namespace kerntune::search
