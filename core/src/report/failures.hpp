// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kerntune/core/tuner.hpp>

namespace kerntune::report {

/// Configurations that have no time for one reason, over all batches.
struct FailureGroup {
  std::string reason;
  std::int64_t count = 0;
  std::string example_config, example;  // the first one met; empty if the report carries none
};
/// Most frequent first.
std::vector<FailureGroup> failure_groups(const TuneReport& report);

}  // namespace kerntune::report
