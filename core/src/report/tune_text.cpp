// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kerntune/core/report.hpp>

#include "counters/bottleneck.hpp"
#include "counters_parts.hpp"
#include "describe.hpp"
#include "failures.hpp"
#include "text_table.hpp"

namespace kerntune::report {
namespace {

/// Good only if the interval says so: a tie with the default is not a gain.
Ink speedup_ink(const BatchResult& batch) {
  if (batch.speedup_low > 1.01) return Ink::good;
  return batch.speedup > 0 && batch.speedup_high > 0 && batch.speedup_high < 1 ? Ink::bad : Ink::plain;
}

std::string best_time(const BatchResult& batch, const Style& style) {
  return batch.best ? time_text(batch.best->time_ns, style) : std::string("none");
}

std::string ties_text(const BatchResult& batch) {
  return fmt::format("{}{}", std::max<std::size_t>(batch.ties.size(), batch.best ? 1 : 0), batch.unresolved ? "?" : "");
}

TextTable::Cell failed_cell(const BatchResult& batch) {
  return {grouped(batch.failed), batch.failed > 0 ? Ink::warn : Ink::plain};
}

std::string result_table(const TuneReport& report, const Style& style) {
  TextTable table;
  for (const char* heading : {"batch", "default", "best", "speed-up", "achieved", "of the limit", "ties", "evaluated",
                              "reused", "failed", "pruned"})
    table.column(heading, Align::right);
  for (const BatchResult& batch : report.batches) {
    const Roofline roof = roofline_of_best(batch, report.device);
    table.row({{grouped(batch.batch), Ink::bold},
               {batch.default_config ? time_text(batch.default_config->time_ns, style) : "failed"},
               {best_time(batch, style), batch.best ? Ink::bold : Ink::bad},
               {speedup_text(batch, style), speedup_ink(batch)},
               {achieved_text(roof)},
               {limit_text(roof)},
               {ties_text(batch)},
               {grouped(batch.evaluated)},
               {grouped(batch.reused)},
               failed_cell(batch),
               {grouped(batch.pruned_static)}});
  }
  return table.text(2, style);
}

std::string changes_text(const BatchResult& batch, const Style& style) {
  if (!batch.best) return batch.note.empty() ? "no configuration could be used" : printable(batch.note);
  if (!batch.default_config) return batch.best->config_text;
  std::vector<std::string> parts;
  const std::string_view arrow = style.utf8 ? "→" : "->";
  for (const ConfigChange& change : changes_from(batch.best->config_text, batch.default_config->config_text))
    parts.push_back(fmt::format("{} {}{}{}", change.name, change.default_value, arrow, change.value));
  if (parts.empty()) return "the default is the best that was found";
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string hanging(std::string_view label, std::string_view text, std::size_t indent, const Style& style) {
  std::string body = wrapped(text, indent, style);
  if (body.empty()) body = std::string(indent, ' ') + '\n';
  body.replace(0, std::min(indent, columns_of(label)), label);
  return body;
}

std::string defence_text(const BatchResult& batch) {
  const IncumbentDefence& d = *batch.defence;
  const std::string who = d.source == "default" ? "the default" : fmt::format("the {} winner", d.source);
  if (d.replaced)
    return fmt::format("; {} was replaced: it takes {:.3f} times as long ({:.3f} to {:.3f})", who, d.ratio, d.ratio_low,
                       d.ratio_high);
  return fmt::format(
      "; {} stays: no gain of 1 % over it is proven (its time is {:.3f} times the strongest's; the interval "
      "begins at {:.3f})",
      who, d.ratio, d.ratio_low);
}

/// What limits the winner, and what changed in its counters: "limited by: …", "against the default: …".
std::string explanation(const BatchResult& batch, const DeviceInfo& device, const Style& style) {
  const Finalist& best = *batch.best;
  const auto line = [&](const std::string& heading, const std::vector<std::string>& parts) {
    return parts.empty()
               ? std::string()
               : inked(wrapped(fmt::format("{}: {}", heading, fmt::join(parts, "; ")), 16, style), Ink::dim, style);
  };
  if (best.counters.empty()) {
    const bool worth_saying = batch.counter_access && !batch.counter_access->usable();
    return worth_saying ? line("no counters", {sentence_of(*batch.counter_access)}) : std::string();
  }
  std::string out =
      line("limited by", limits_text(features_of(best.counters, best.facts, device, best.time_ns), best.facts));
  if (batch.default_config) out += line("against the default", counter_changes(best, *batch.default_config, device));
  for (const Finalist& f : batch.finalists) {
    if (f.config_text == best.config_text || f.counters.empty()) continue;
    if (batch.default_config && f.config_text == batch.default_config->config_text) continue;
    out += line("against the runner-up", counter_changes(best, f, device));
  }
  return out;
}

std::string best_section(const TuneReport& report, const Style& style) {
  std::string out = inked("best configuration (default→best where they differ)", Ink::bold, style) + '\n';
  if (!style.utf8) out = "best configuration (default->best where they differ)\n";
  for (const BatchResult& batch : report.batches) {
    out += hanging(fmt::format("  batch {}", batch.batch), changes_text(batch, style), 16, style);
    if (!batch.best) continue;
    std::string proof = fmt::format("verified: {}", batch.best->verified);
    if (batch.best->verification.runs > 0 && batch.best->verified != "recorded")
      proof += fmt::format(" ({})", precision_text(batch.best->verification));
    if (batch.ties.size() > 1)
      proof += fmt::format("; {} configurations could not be told apart, this one was picked", batch.ties.size());
    if (batch.defence) proof += defence_text(batch);
    if (batch.unresolved)
      proof += "; still unresolved after the last confirmation round: a larger --budget plays it again";
    out += inked(wrapped(proof, 16, style), Ink::dim, style);
    out += explanation(batch, report.device, style);
  }
  return out;
}

/// Where the device's time went, for those who wonder why a tune takes so long.
std::string cost_section(const TuneReport& report, const Style& style) {
  LaneTime sum;
  std::int64_t throttled = 0;
  for (const BatchResult& batch : report.batches) {
    sum.screened += batch.lane.screened;
    sum.samples += batch.lane.samples;
    sum.busy_us += batch.lane.busy_us;
    sum.launched_us += batch.lane.launched_us;
    sum.verify_us += batch.lane.verify_us;
    sum.screen_fixed_us += batch.lane.screen_fixed_us;
    throttled += batch.throttled_samples;
  }
  if (sum.screened == 0) return {};
  std::string text = fmt::format(
      "device time {}: {:.0f} % in the kernel under test, {:.2f} ms besides per configuration screened; verification "
      "{} "
      "apart",
      duration_text((sum.busy_us - sum.verify_us) / 1e6), 100 * sum.launched_share(), sum.fixed_us_per_screened() / 1e3,
      duration_text(sum.verify_us / 1e6));
  if (throttled > 0)
    text +=
        fmt::format("; {} of {} samples were taken below the steady clock", grouped(throttled), grouped(sum.samples));
  return '\n' + inked(wrapped(text, 0, style), Ink::dim, style);
}

std::string heading(const TuneReport& report, const Style& style) {
  std::string out = fmt::format("{} on {}", inked(report.kernel, Ink::bold, style), report.device.name);
  if (report.device.id != report.device.name) out += fmt::format(" ({})", report.device.id);
  out += fmt::format("\n{} valid configurations, strategy {}, seed {}, {}, {}", grouped(report.space_count),
                     report.strategy, report.seed, report.policy, duration_text(report.wall_s));
  if (report.interrupted)
    out += inked("\ninterrupted: the best so far is shown; the same command goes on from here", Ink::warn, style);
  return out + "\n\n";
}

std::string stored_section(const TuneReport& report) {
  if (report.store_path.empty()) return {};
  const auto usable = std::find_if(report.batches.begin(), report.batches.end(),
                                   [](const BatchResult& batch) { return batch.best.has_value(); });
  if (usable == report.batches.end()) return fmt::format("\nstored in {}\n", report.store_path);
  return fmt::format("\nstored in {}; ask for it with\n  {}\n", report.store_path, query_command(report, *usable));
}

}  // namespace

std::string tune_text(const TuneReport& report, const Style& style) {
  std::string out = heading(report, style);
  out += result_table(report, style);
  out += '\n' + best_section(report, style);
  const std::string failures = failures_text(report, style);
  if (!failures.empty()) out += '\n' + failures;
  return out + cost_section(report, style) + warnings_text(report, style) + stored_section(report);
}

}  // namespace kerntune::report
