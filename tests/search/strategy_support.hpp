// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include <kerntune/search/strategy.hpp>

#include "param_space_support.hpp"

namespace kerntune::search {

/// 105 of 7 * 6 * 5 configurations.
inline ParamSpace half_space() {
  return ParamSpace::build({range("x", 0, 6), range("y", 0, 5), range("z", 0, 4)}, {"(x + y + z) % 2 == 0"});
}

inline Feedback measured(double time_ns) { return {Feedback::Status::measured, time_ns}; }
inline Feedback slower(double bound_ns) { return {Feedback::Status::slower, bound_ns}; }
inline Feedback rejected() { return {Feedback::Status::rejected, 0}; }

/// A smooth bowl with a ridge: the best of four parameters depend on each other. Optimum 1000 ns at {5, 2, 6, 1}.
inline double bowl_ns(const Config& config) {
  const auto off = [&](std::size_t p, double best) { return static_cast<double>(config.at(p)) - best; };
  const double x = off(0, 5);
  const double y = off(1, 2);
  const double z = off(2, 6);
  const double w = off(3, 1);
  return 1000 + 40 * x * x + 30 * y * y + 20 * (z + x) * (z + x) + 60 * w * w + 25 * (w - y) * (w - y);
}

inline ParamSpace bowl_space() {
  return ParamSpace::build({range("a", 0, 7), range("b", 0, 7), range("c", 0, 7), range("d", 0, 7)}, {});
}

}  // namespace kerntune::search
