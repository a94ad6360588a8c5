// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include <algorithm>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <kerntune/core/report.hpp>

#include "describe.hpp"
#include "text_table.hpp"

namespace kerntune::report {
namespace {

std::string when_text(std::int64_t unix_us) {
  if (unix_us <= 0) return "-";
  const std::time_t seconds = unix_us / 1'000'000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", utc);
}

std::string gain_text(const storage::FinalRecord& record, const Style& style) {
  if (!(record.speedup > 0)) return "-";
  return fmt::format("{:.3f}{}", record.speedup, style.utf8 ? "×" : "x");
}

/// Below a table: which of its times are not to be relied on.
std::string provisional_text(const std::vector<storage::FinalRecord>& finals, const Style& style) {
  std::string out;
  for (const storage::FinalRecord& record : finals) {
    const std::string why = provisional_of(record);
    if (why.empty()) continue;
    out += wrapped(fmt::format("batch {}: its times are provisional, because {}; tune again when that is over",
                               record.batch, printable(why)),
                   2, style);
  }
  return out;
}

std::string changed_text(const storage::FinalRecord& record) {
  std::string text;
  for (const ConfigChange& change : changes_from(record.config, record.default_config))
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", change.name, change.value);
  return text.empty() ? "the default" : text;
}

TextTable finals_table(const std::vector<storage::FinalRecord>& finals, const Style& style) {
  TextTable table;
  for (const char* heading : {"batch", "time", "speed-up", "ties"}) table.column(heading, Align::right);
  for (const char* heading : {"other sizes", "verified", "tuned", "differs from the default"}) table.column(heading);
  for (const storage::FinalRecord& record : finals)
    table.row({{grouped(record.batch), Ink::bold},
               {time_text(record.time_ns, style)},
               {gain_text(record, style), record.speedup_low > 1.01 ? Ink::good : Ink::plain},
               {fmt::format("{}{}", record.ties.size(), record.unresolved ? "?" : "")},
               {record.other_dims},
               {record.verified},
               {when_text(record.finished_unix_us)},
               {changed_text(record)}});
  return table;
}

/// Finals in groups that can be compared: same kernel, device, toolchain and policy. The order within a group stays.
std::string grouped_finals(const std::vector<storage::FinalRecord>& finals, const Style& style) {
  const auto key = [](const storage::FinalRecord& f) {
    return fmt::format("{} on {}, {}, {}", f.kernel, f.device_class, f.toolchain, f.policy);
  };
  std::vector<std::string> order;
  for (const storage::FinalRecord& record : finals)
    if (std::find(order.begin(), order.end(), key(record)) == order.end()) order.push_back(key(record));
  std::string out;
  for (const std::string& group : order) {
    std::vector<storage::FinalRecord> members;
    std::copy_if(finals.begin(), finals.end(), std::back_inserter(members),
                 [&](const storage::FinalRecord& record) { return key(record) == group; });
    out += fmt::format("{}{}\n{}{}", out.empty() ? "" : "\n", inked(group, Ink::bold, style),
                       finals_table(members, style).text(2, style), provisional_text(members, style));
  }
  return out;
}

std::string outcome_text(const storage::RunRecord& run) {
  // A run that says nothing was killed, or is still going on.
  return run.outcome.empty() ? "no end recorded" : first_line(run.outcome);
}

std::string runs_text(const std::vector<storage::RunRecord>& runs, std::size_t most, const Style& style) {
  if (runs.empty()) return {};
  std::string out = fmt::format("\n{}\n", inked(fmt::format("runs ({})", runs.size()), Ink::bold, style));
  for (std::size_t i = 0; i < runs.size() && i < most; ++i)
    out += fmt::format(
        "  {}  {}: {}\n", when_text(runs[i].started_unix_us), outcome_text(runs[i]),
        clipped(printable(runs[i].command), static_cast<std::size_t>(std::max(style.width - 40, 40)), style));
  if (runs.size() > most) out += fmt::format("  and {} earlier\n", runs.size() - most);
  return out;
}

std::string status_text(const storage::EvaluationRecord& record, const Style& style) {
  switch (record.status) {
    case storage::Status::measured:
      return time_text(record.median_ns, style);
    case storage::Status::slower:
      return "> " + time_text(record.median_ns, style);
    case storage::Status::rejected:
      return record.reason;
  }
  return {};
}

std::string evaluation_lines(const storage::EvaluationRecord& record, const Style& style) {
  const bool failed = record.status == storage::Status::rejected;
  std::string out =
      fmt::format("  {}  {}  {}\n",
                  inked(fmt::format("{:<18}", status_text(record, style)), failed ? Ink::warn : Ink::plain, style),
                  record.key.dims, record.key.config);
  if (failed) out += wrapped(first_line(record.message), 22, style);
  return out;
}

std::string evaluations_text(const KernelHistory& history, const Style& style) {
  if (history.evaluations.empty() && history.failures_only)
    return "\nno evaluation without a time is stored; what was ruled out before running is in the run's own report\n";
  if (history.evaluations.empty()) return {};
  std::string out =
      fmt::format("\n{}, newest first\n",
                  inked(fmt::format("evaluations ({} of {})", history.evaluations.size(), history.evaluations_total),
                        Ink::bold, style));
  for (const storage::EvaluationRecord& record : history.evaluations) out += evaluation_lines(record, style);
  return out;
}

/// How right the winners are.
std::string precision_section(const KernelHistory& history, const Style& style) {
  std::string out;
  for (const storage::FinalRecord& record : history.finals) {
    const auto verification = stored_verification(record.verification_json);
    if (!verification) continue;
    out += wrapped(fmt::format("batch {}: {}", record.batch, precision_text(*verification)), 2, style);
  }
  return out.empty() ? out : fmt::format("\n{}\n{}", inked("precision of the winners", Ink::bold, style), out);
}

std::string ties_text(const KernelHistory& history, const Style& style) {
  std::string out;
  for (const storage::FinalRecord& record : history.finals) {
    if (record.ties.size() < 2) continue;
    out +=
        fmt::format("\n{}\n", inked(fmt::format("batch {}: {} configurations that could not be told apart, best first",
                                                record.batch, record.ties.size()),
                                    Ink::bold, style));
    for (const std::string& tie : record.ties) out += fmt::format("  {}\n", tie);
  }
  return out;
}

}  // namespace

std::string list_text(const StoreListing& listing, const Style& style) {
  std::string out = fmt::format("{}\n\n", listing.store);
  out += listing.finals.empty() ? "no results are stored\n" : grouped_finals(listing.finals, style);
  return out + runs_text(listing.runs, 5, style);
}

std::string show_text(const KernelHistory& history, const Style& style) {
  std::string out = fmt::format("{} in {}\n", inked(history.kernel, Ink::bold, style), history.store);
  if (history.failures_only) return out + evaluations_text(history, style);
  out += '\n';
  out += history.finals.empty() ? "no winner is stored\n" : grouped_finals(history.finals, style);
  return out + precision_section(history, style) + ties_text(history, style) + evaluations_text(history, style) +
         runs_text(history.runs, 10, style);
}

}  // namespace kerntune::report
