// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <span>

namespace kerntune {

/// Median; the mean of the middle two for an even count. Requires: not empty.
double median(std::span<const double> values);

/// Robust standard deviation relative to the median: 1.4826 * MAD / median (consistent for normal noise).
/// 0 for fewer than 3 values.
double relative_noise(std::span<const double> values);

/// Relative standard deviation of a few values, by their range (Tippett: range / d2(n)) up to 6 values, by
/// relative_noise above. 0 for fewer than 2.
double small_sample_noise(std::span<const double> values);

/// How noisy samples are here: the median over the last groups of samples, each judged for itself, so that neither one
/// outlier nor the difference between configurations counts. Never below `floor`; begins with a guess that a few groups
/// outvote.
class NoisePool {
 public:
  explicit NoisePool(double floor) : floor_(floor) {}
  void learn(std::span<const double> samples);
  double sigma() const;  // relative

 private:
  static constexpr double kGuess = 0.02;
  double floor_;
  std::deque<double> groups_{kGuess, kGuess};
};

/// Standard error of a median of n values with (normal) standard deviation `sigma`: sqrt(pi / 2) sigma / sqrt(n).
double median_error(double sigma, std::size_t n);

/// z such that a standard normal variable is below it with this probability. Requires: 0 < probability < 1.
double normal_quantile(double probability);

struct Interval {
  double low = 0;
  double high = 0;
  double half_width() const noexcept { return (high - low) / 2; }
};

/// Distribution-free confidence interval of the median by order statistics: the narrowest symmetric pair of ranks whose
/// binomial coverage is at least `confidence` (Conover, Practical Nonparametric Statistics, 3.2). With too few values
/// for that coverage (fewer than 6 at 95 %), the whole range. Requires: not empty.
Interval median_interval(std::span<const double> values, double confidence = 0.95);

}  // namespace kerntune
