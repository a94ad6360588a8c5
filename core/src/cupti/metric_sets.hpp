// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kerntune::cupti {

/// Metrics by priority, the most important first: a planner that must save passes drops from the end.
struct MetricSet {
  std::string name;
  std::string summary;  // one line
  std::vector<std::string> metrics;
};

/// The set for every configuration that is profiled: one pass on the chips it was made for. docs/counters.md has the
/// table of chips, sets and passes, and says what each metric is for.
const MetricSet& standard_set(std::string_view chip);
/// Finds a set by its name. Null if there is none.
const MetricSet* find_set(std::string_view name);
std::span<const MetricSet> all_sets();

/// Other names of a metric, for chips that have renamed it, in the order in which they are tried.
std::vector<std::string> aliases_of(std::string_view metric);

}  // namespace kerntune::cupti
