// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kerntune/core/tuner.hpp>

namespace kerntune::report {

/// Times seen with one value of a parameter, nanoseconds.
struct ValueGroup {
  std::string value;
  std::vector<std::size_t> points;  // indices into BatchResult::trace, ascending
  double low = 0, q1 = 0, median = 0, q3 = 0, high = 0;
};

/// How much one parameter, alone, says about the time.
struct ParameterEffect {
  std::string name;
  /// Share of the variance of log(time) that the parameter's values explain: epsilon squared (T. L. Kelley, "An
  /// unbiased correlation ratio measure", PNAS 21(9), 1935), which unlike eta squared does not grow with the number of
  /// values. 0..1.
  double explained = 0;
  std::vector<ValueGroup> values;  // in the spec's order; values that no timed configuration has are left out
};

/// Effects of the parameters that took at least two values among timed configurations, strongest first. Configurations
/// that were stopped early count with their lower bound: leaving them out would hide what is bad.
std::vector<ParameterEffect> parameter_effects(const KernelSpec& spec, const BatchResult& batch);

/// Best measured time after each observation of the trace, nanoseconds; 0 before the first. Lower bounds do not count.
std::vector<double> best_so_far(const BatchResult& batch);

/// By linear interpolation between order statistics (Hyndman and Fan's type 7). Requires: sorted, not empty.
double quantile(const std::vector<double>& sorted, double fraction);

}  // namespace kerntune::report
