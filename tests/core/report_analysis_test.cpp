// SPDX-License-Identifier: Apache-2.0
#include "report/analysis.hpp"

#include <gmock/gmock.h>

#include "report_sample.hpp"

namespace kerntune::report {
namespace {

using ::testing::ElementsAre;

EvaluationTrace timed(search::Config config, double time_ns) {
  EvaluationTrace trace;
  trace.config = std::move(config);
  trace.status = EvaluationTrace::Status::measured;
  trace.time_ns = time_ns;
  return trace;
}

ParamSpec one_or_two(const std::string& name) {
  ParamSpec param;
  param.name = name;
  param.values = {std::int64_t{1}, std::int64_t{2}};
  param.default_value = std::int64_t{1};
  return param;
}

KernelSpec two_params() {
  KernelSpec spec;
  spec.params = {one_or_two("matters"), one_or_two("idle")};
  return spec;
}

/// `matters` doubles the time; `idle` moves it by a thousandth.
BatchResult four_points() {
  BatchResult batch;
  batch.trace = {timed({0, 0}, 100), timed({0, 1}, 100.1), timed({1, 0}, 200), timed({1, 1}, 200.2)};
  return batch;
}

TEST(ParameterEffects, PutsWhatExplainsTheTimeFirst) {
  const auto effects = parameter_effects(two_params(), four_points());
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_EQ(effects[0].name, "matters");
  EXPECT_GT(effects[0].explained, 0.999);
  EXPECT_EQ(effects[1].name, "idle");
  EXPECT_EQ(effects[1].explained, 0);
}

TEST(ParameterEffects, SummarisesEachValue) {
  const auto effects = parameter_effects(two_params(), four_points());
  const ValueGroup& slow = effects[0].values[1];
  EXPECT_EQ(slow.value, "2");
  EXPECT_THAT(slow.points, ElementsAre(2U, 3U));
  EXPECT_DOUBLE_EQ(slow.low, 200);
  EXPECT_DOUBLE_EQ(slow.median, 200.1);
  EXPECT_DOUBLE_EQ(slow.high, 200.2);
}

TEST(ParameterEffects, LeavesOutParametersThatTookOneValueOnly) {
  BatchResult batch = four_points();
  batch.trace.resize(2);
  const auto effects = parameter_effects(two_params(), batch);
  ASSERT_EQ(effects.size(), 1U);
  EXPECT_EQ(effects[0].name, "idle");
}

TEST(ParameterEffects, IgnoresConfigurationsWithoutATime) {
  BatchResult batch = four_points();
  batch.trace.push_back({});
  batch.trace.back().config = {0, 0};
  EXPECT_THAT(parameter_effects(two_params(), batch)[0].values[0].points, ElementsAre(0U, 1U));
}

TEST(BestSoFar, FollowsMeasuredTimesOnly) {
  BatchResult batch;
  batch.trace = {EvaluationTrace{}, timed({0}, 50), timed({0}, 70), timed({0}, 30)};
  batch.trace[2].time_ns = 10;
  batch.trace[2].status = EvaluationTrace::Status::slower;
  EXPECT_THAT(best_so_far(batch), ElementsAre(0, 50, 50, 30));
}

TEST(Quantile, InterpolatesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
}

}  // namespace
}  // namespace kerntune::report
