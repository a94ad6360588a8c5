// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace kerntune {

/// Median; the mean of the middle two for an even count. Requires: not empty.
double median(std::span<const double> values);

/// Robust standard deviation relative to the median: 1.4826 * MAD / median (consistent for normal noise).
/// 0 for fewer than 3 values.
double relative_noise(std::span<const double> values);

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
