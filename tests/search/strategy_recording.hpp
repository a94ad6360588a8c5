// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kerntune/search/strategy.hpp>

namespace kerntune::search {

/// A whole space with the time of every configuration, read from a Kernel Tuner cache file.
struct Recording {
  std::string name;
  ParamSpace space;
  std::vector<double> times_ns;  // by index; infinite: failed
  double optimum_ns = 0;

  Feedback look_up(const Config& config) const;
};

/// Reads a cache file, gzipped or not. The space's constraints are the file's "restrictions" if it has any, else
/// `constraints`. Errors: std::runtime_error, also if the constraints do not give exactly the recorded configurations.
Recording read_recording(const std::string& path, const std::vector<std::string>& constraints = {});

/// Runs a strategy on a recording with `in_flight` proposals ahead, answered in the order they were made.
/// Returns: optimum / best time so far after each evaluation (0: nothing valid yet), for `budget` evaluations.
std::vector<double> search_recording(const Recording& recording, Strategy& strategy, std::size_t budget,
                                     std::size_t in_flight);

}  // namespace kerntune::search
