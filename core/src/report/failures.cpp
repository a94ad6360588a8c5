// SPDX-License-Identifier: Apache-2.0
#include "failures.hpp"

#include <algorithm>
#include <map>

namespace kerntune::report {
namespace {

void add_example(std::map<std::string, FailureGroup>& groups, const EvaluationTrace& trace) {
  if (!trace.rejection) return;
  const auto found = groups.find(std::string(name_of(trace.rejection->reason)));
  if (found == groups.end() || !found->second.example.empty()) return;
  found->second.example_config = trace.config_text;
  found->second.example = trace.rejection->message;
}

}  // namespace

std::vector<FailureGroup> failure_groups(const TuneReport& report) {
  std::map<std::string, FailureGroup> groups;
  for (const BatchResult& batch : report.batches) {
    for (const auto& [reason, count] : batch.failures_by_reason) {
      FailureGroup& group = groups[reason];
      group.reason = reason;
      group.count += count;
    }
  }
  for (const BatchResult& batch : report.batches)
    for (const EvaluationTrace& trace : batch.trace) add_example(groups, trace);
  std::vector<FailureGroup> sorted;
  for (auto& [reason, group] : groups)
    if (group.count > 0) sorted.push_back(std::move(group));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const FailureGroup& a, const FailureGroup& b) { return a.count > b.count; });
  return sorted;
}

}  // namespace kerntune::report
