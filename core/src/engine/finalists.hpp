// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <kerntune/search/param_space.hpp>

namespace kerntune {

/// A configuration that screening measured to the end.
struct Screened {
  search::Config config;
  std::string text;
  double median_ns = 0;
  std::size_t samples = 0;
};

/// Who plays the final: the fastest few, and all that screening could not separate from the fastest, up to a cap; best
/// first. `noise` is the relative sigma of a sample. The cap is lower where so many could not play the fewest rounds in
/// half of `max_seconds`.
inline constexpr std::size_t kSureFinalists = 5;
inline constexpr std::size_t kMaxFinalists = 24;
std::vector<Screened> choose_finalists(std::vector<Screened> screened, double noise, double max_seconds);

}  // namespace kerntune
