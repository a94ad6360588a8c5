// SPDX-License-Identifier: Apache-2.0
#include "gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace kerntune::search::detail {
namespace {

constexpr double kDiffers = 0.3;
// Variance of a result around the smooth part: keeps the factorisation well conditioned as well.
constexpr double kNoise = 1e-3;

bool has_order(const Param& param) {
  return std::ranges::none_of(param.values,
                              [](const expr::Literal& value) { return std::holds_alternative<std::string>(value); });
}

// Four sums side by side: the processor need not wait for one addition before the next.
double dot(const double* a, const double* b, std::size_t size) noexcept {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      sums[lane] += a[i + lane] * b[i + lane];
    }
  }
  for (; i < size; ++i) {
    sums[0] += a[i] * b[i];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

Similarity::Similarity(const ParamSpace& space) {
  const auto several = std::ranges::count_if(space.params(), [](const Param& p) { return p.values.size() > 1; });
  const double share = 1.0 / static_cast<double>(std::max<std::ptrdiff_t>(1, several));
  for (const Param& param : space.params()) {
    const bool ordered = has_order(param) && param.values.size() > 1;
    const double steps = static_cast<double>(param.values.size()) - 1;
    distances_.push_back(ordered ? Distance{kDiffers * share, share / steps} : Distance{(kDiffers + 1) * share, 0});
  }
}

double Similarity::operator()(const Config& a, const Config& b) const noexcept {
  double scale = 1;
  for (std::size_t p = 0; p < distances_.size(); ++p) {
    if (a[p] != b[p]) {
      const std::uint32_t steps = a[p] > b[p] ? a[p] - b[p] : b[p] - a[p];
      scale += distances_[p].differs + distances_[p].per_step * steps;
    }
  }
  const double square = scale * scale;
  return 1 / (square * square);
}

void GaussianProcess::add(const Config& config) {
  Candidate self = {config, {}};
  project(self);
  const double rest = 1 + kNoise - dot(self.weights.data(), self.weights.data(), self.weights.size());
  self.weights.push_back(std::sqrt(std::max(rest, kNoise)));
  points_.push_back(config);
  rows_.push_back(std::move(self.weights));
}

void GaussianProcess::set_targets(std::span<const double> targets) {
  solved_.resize(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    solved_[i] = (targets[i] - dot(rows_[i].data(), solved_.data(), i)) / rows_[i][i];
  }
}

GaussianProcess::Prediction GaussianProcess::predict(Candidate& candidate) const {
  project(candidate);
  const double* const weights = candidate.weights.data();
  const double variance = 1 - dot(weights, weights, size());
  return {dot(weights, solved_.data(), size()), std::sqrt(std::max(variance, 0.0))};
}

void GaussianProcess::project(Candidate& candidate) const {
  std::vector<double>& weights = candidate.weights;
  for (std::size_t i = weights.size(); i < points_.size(); ++i) {
    const double covariance = similarity_(points_[i], candidate.config);
    weights.push_back((covariance - dot(rows_[i].data(), weights.data(), i)) / rows_[i][i]);
  }
}

}  // namespace kerntune::search::detail
