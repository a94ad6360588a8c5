// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kerntune/core/report.hpp>

namespace kerntune::report {

/// Configurations that have no time for one reason, over all batches.
struct FailureGroup {
  std::string reason;
  std::int64_t count = 0;
  std::string example_config, example;  // the first one met; empty if the report carries none
};
/// Most frequent first.
std::vector<FailureGroup> failure_groups(const TuneReport& report);

/// Reasons with counts and one example each; empty if nothing failed.
std::string failures_text(const TuneReport& report, const Style& style);
/// A blank line and "warning: ..." for each.
std::string warnings_text(const TuneReport& report, const Style& style);

}  // namespace kerntune::report
