// SPDX-License-Identifier: Apache-2.0
#include "engine/statistics.hpp"

#include <algorithm>
#include <cmath>
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

double median(std::span<const double> values) { return median_of_sorted(sorted(values)); }

double relative_noise(std::span<const double> values) {
  if (values.size() < 3) return 0;
  const double middle = median(values);
  std::vector<double> deviations;
  for (const double v : values) deviations.push_back(std::abs(v - middle));
  return middle > 0 ? 1.4826 * median(deviations) / middle : 0;
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
