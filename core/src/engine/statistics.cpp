// SPDX-License-Identifier: Apache-2.0
#include "engine/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace kerntune {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double median_of_sorted(const std::vector<double>& v) {
  const std::size_t n = v.size();
  return n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

}  // namespace

double median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
  std::nth_element(copy.begin(), middle, copy.end());
  if (copy.size() % 2 == 1) return *middle;
  return (*std::max_element(copy.begin(), middle) + *middle) / 2;
}

double relative_noise(std::span<const double> values) {
  if (values.size() < 3) return 0;
  const double middle = median(values);
  std::vector<double> deviations;
  for (const double v : values) deviations.push_back(std::abs(v - middle));
  return middle > 0 ? 1.4826 * median(deviations) / middle : 0;
}

double small_sample_noise(std::span<const double> values) {
  // Mean range of n standard normal values, d2(n).
  constexpr std::array<double, 7> kMeanRange{0, 0, 1.128, 1.693, 2.059, 2.326, 2.534};
  if (values.size() < 2) return 0;
  if (values.size() >= kMeanRange.size()) return relative_noise(values);
  const std::vector<double> v = sorted(values);
  const double middle = median_of_sorted(v);
  return middle > 0 ? (v.back() - v.front()) / kMeanRange[v.size()] / middle : 0;
}

void NoisePool::learn(std::span<const double> samples) {
  constexpr std::size_t kWindow = 31;
  if (samples.size() < 2) return;
  groups_.push_back(small_sample_noise(samples));
  if (groups_.size() > kWindow) groups_.pop_front();
}

double NoisePool::sigma() const {
  return std::max(floor_, median(std::vector<double>(groups_.begin(), groups_.end())));
}

double median_error(double sigma, std::size_t n) {
  return std::sqrt(std::numbers::pi / 2) * sigma / std::sqrt(static_cast<double>(std::max<std::size_t>(n, 1)));
}

double normal_quantile(double probability) {
  double low = -40, high = 40;
  for (int i = 0; i < 80; ++i) {  // bisection of the distribution function
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

Interval median_interval(std::span<const double> values, double confidence) {
  const std::vector<double> v = sorted(values);
  const int n = static_cast<int>(v.size());
  // P(X_(k+1) < median < X_(n-k)) = 1 - 2 * P(Binomial(n, 1/2) <= k): take ranks inwards while that still covers.
  double tail = 0;
  int rank = 0;
  for (int k = 0; k < n / 2; ++k) {
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2.0));
    if (1 - 2 * tail < confidence) break;
    rank = k;
  }
  return {v[static_cast<std::size_t>(rank)], v[static_cast<std::size_t>(n - 1 - rank)]};
}

}  // namespace kerntune
