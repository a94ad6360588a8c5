// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "strategies/rank_model.hpp"
#include "strategy_support.hpp"

namespace kerntune::search::detail {
namespace {

constexpr double kNoise = 1e-3;

GaussianProcess process_of(const std::vector<Config>& points) {
  GaussianProcess process{Similarity(bowl_space())};
  for (const Config& point : points) {
    process.add(point);
  }
  return process;
}

GaussianProcess::Prediction predict(const GaussianProcess& process, const Config& config) {
  GaussianProcess::Candidate candidate = {config, {}};
  return process.predict(candidate);
}

TEST(Similarity, IsOneForEqualConfigurationsAndFallsWithDistance) {
  const Similarity similarity(bowl_space());
  EXPECT_EQ(similarity({1, 2, 3, 4}, {1, 2, 3, 4}), 1);
  EXPECT_GT(similarity({1, 2, 3, 4}, {1, 2, 3, 5}), similarity({1, 2, 3, 4}, {1, 2, 3, 6}));
  EXPECT_GT(similarity({1, 2, 3, 4}, {1, 2, 3, 6}), similarity({1, 2, 3, 4}, {1, 2, 2, 5}));
  EXPECT_EQ(similarity({1, 2, 3, 4}, {2, 2, 3, 4}), similarity({2, 2, 3, 4}, {1, 2, 3, 4}));
}

// d = (0.3 + 7/7) / 4 parameters.
TEST(Similarity, HasTheDocumentedForm) {
  EXPECT_NEAR(Similarity(bowl_space())({0, 0, 0, 0}, {7, 0, 0, 0}), std::pow(1.325, -4), 1e-12);
}

TEST(Similarity, KnowsNoOrderAmongNames) {
  const ParamSpace space =
      ParamSpace::build({{"layout", {std::string("row"), std::string("col"), std::string("tiled")}}}, {});
  const Similarity similarity(space);
  EXPECT_EQ(similarity({0}, {1}), similarity({0}, {2}));
}

// Two points: the inverse of the 2 x 2 covariance by hand.
TEST(GaussianProcess, AgreesWithTheClosedForm) {
  GaussianProcess process = process_of({{0, 0, 0, 0}, {3, 0, 0, 0}});
  process.set_targets(std::vector<double>{1, -2});
  const Similarity k(bowl_space());
  const Config place = {1, 1, 0, 0};
  const double a = 1 + kNoise;
  const double b = k({0, 0, 0, 0}, {3, 0, 0, 0});
  const double p = k({0, 0, 0, 0}, place);
  const double q = k({3, 0, 0, 0}, place);
  const double determinant = a * a - b * b;
  EXPECT_NEAR(predict(process, place).mean, (p * (a + 2 * b) + q * (-b - 2 * a)) / determinant, 1e-12);
  const double explained = (p * (a * p - b * q) + q * (a * q - b * p)) / determinant;
  EXPECT_NEAR(predict(process, place).deviation, std::sqrt(1 - explained), 1e-12);
}

TEST(GaussianProcess, ReproducesItsPointsAndIsUnsureElsewhere) {
  GaussianProcess process = process_of({{0, 0, 0, 0}, {1, 1, 1, 1}, {5, 5, 5, 5}});
  process.set_targets(std::vector<double>{1, 0, -1});
  EXPECT_NEAR(predict(process, {0, 0, 0, 0}).mean, 1, 0.01);
  EXPECT_LT(predict(process, {0, 0, 0, 0}).deviation, 0.05);
  EXPECT_GT(predict(process, {7, 0, 7, 0}).deviation, 0.5);
}

TEST(GaussianProcess, GivesAGrowingCandidateTheSameAnswerAsAFreshOne) {
  GaussianProcess process = process_of({{0, 0, 0, 0}});
  process.set_targets(std::vector<double>{1});
  GaussianProcess::Candidate candidate = {{2, 3, 4, 5}, {}};
  (void)process.predict(candidate);
  process.add({7, 7, 7, 7});
  process.set_targets(std::vector<double>{1, -1});
  EXPECT_EQ(process.predict(candidate).mean, predict(process, {2, 3, 4, 5}).mean);
}

RankModel::Prediction predict(RankModel& model, const Config& config) {
  RankModel::Candidate candidate = {config, {}};
  return model.predict(candidate);
}

TEST(RankModel, DependsOnTheOrderOfTimesOnly) {
  RankModel some{bowl_space()};
  RankModel others{bowl_space()};
  const std::vector<double> times = {30, 10, 20};
  for (std::uint32_t i = 0; i < 3; ++i) {
    some.observe({i, 0, 0, 0}, times[i]);
    others.observe({i, 0, 0, 0}, times[i] * times[i] * 1e6);
  }
  EXPECT_EQ(predict(some, {0, 0, 0, 1}).mean, predict(others, {0, 0, 0, 1}).mean);
}

TEST(RankModel, RanksFailuresLast) {
  RankModel model{bowl_space()};
  model.observe({0, 0, 0, 0}, 10);
  model.observe({7, 7, 7, 7}, std::numeric_limits<double>::infinity());
  model.observe({0, 7, 0, 7}, 20);
  EXPECT_GT(predict(model, {7, 7, 7, 6}).mean, predict(model, {0, 7, 0, 6}).mean);
}

TEST(RankModel, CountsWhatIsInFlightAsPredicted) {
  RankModel model{bowl_space()};
  model.observe({0, 0, 0, 0}, 10);
  model.observe({7, 7, 7, 7}, 20);
  const double unsure = predict(model, {3, 3, 3, 3}).deviation;
  model.expect({3, 3, 3, 4}, 0.25);
  EXPECT_EQ(model.in_flight(), 1u);
  EXPECT_NEAR(predict(model, {3, 3, 3, 4}).mean, 0.25, 0.01);
  EXPECT_LT(predict(model, {3, 3, 3, 3}).deviation, unsure);
  model.observe({3, 3, 3, 4}, 5);
  EXPECT_EQ(model.in_flight(), 0u);
  EXPECT_LT(predict(model, {3, 3, 3, 4}).mean, -0.5);
}

TEST(RankModel, ForgetsTheSlowFirst) {
  RankModel model{bowl_space()};
  for (std::uint32_t i = 0; i < 8; ++i) {
    model.observe({i, 0, 0, 0}, 10 * (i + 1));
  }
  model.expect({0, 5, 5, 5}, 0);
  Rng rng(1);
  model.forget(2, rng);
  EXPECT_EQ(model.observed(), 4u);
  EXPECT_TRUE(model.holds({0, 0, 0, 0}) && model.holds({1, 0, 0, 0}));
  EXPECT_TRUE(model.holds({0, 5, 5, 5}));
}

}  // namespace
}  // namespace kerntune::search::detail
