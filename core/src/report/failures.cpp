// SPDX-License-Identifier: Apache-2.0
#include "failures.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "text_table.hpp"

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

std::string failures_text(const TuneReport& report, const Style& style) {
  const std::vector<FailureGroup> groups = failure_groups(report);
  if (groups.empty()) return {};
  std::int64_t all = 0, pruned = 0;
  for (const FailureGroup& group : groups) all += group.count;
  for (const BatchResult& batch : report.batches) pruned += batch.pruned_static;
  std::string out = inked("without a time", Ink::bold, style);
  out += fmt::format(": {} configuration{}", grouped(all), all == 1 ? "" : "s");
  if (pruned > 0)
    out += fmt::format(", {} of them ruled out before anything was compiled or launched", grouped(pruned));
  out += '\n';
  for (const FailureGroup& group : groups) {
    const std::string label = fmt::format("  {:>6}  {}", grouped(group.count), group.reason);
    out += inked(label, Ink::warn, style) + '\n';
    if (!group.example.empty())
      out += wrapped(fmt::format("e.g. {}: {}", group.example_config, first_line(group.example)), 10, style);
  }
  return out;
}

std::string warnings_text(const TuneReport& report, const Style& style) {
  std::string out;
  for (const std::string& warning : report.warnings)
    out += '\n' + inked("warning", Ink::warn, style) + ": " + wrapped(printable(warning), 0, style);
  return out;
}

}  // namespace kerntune::report
