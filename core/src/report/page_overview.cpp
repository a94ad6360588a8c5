// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "describe.hpp"
#include "html.hpp"

namespace kerntune::report {
namespace {

std::string tile(std::string_view label, const std::string& value, const std::string& note) {
  return fmt::format("<div class=\"tile\"><span>{}</span><strong>{}</strong><small>{}</small></div>\n", label, value,
                     note);
}

const BatchResult* fastest_gain(const TuneReport& report) {
  const BatchResult* best = nullptr;
  for (const BatchResult& batch : report.batches)
    if (batch.speedup > 0 && (best == nullptr || batch.speedup > best->speedup)) best = &batch;
  return best;
}

std::string gain_tile(const TuneReport& report) {
  const BatchResult* gain = fastest_gain(report);
  if (gain == nullptr) return tile("speed-up", "none", "no configuration could be compared with the default");
  const std::string interval = gain->speedup_low > 0
                                   ? fmt::format("{:.3f}–{:.3f}, 95 % interval", gain->speedup_low, gain->speedup_high)
                                   : std::string("over the default");
  const std::string where =
      report.batches.size() > 1 ? fmt::format("at batch {}; {}", gain->batch, interval) : interval;
  return tile(report.batches.size() > 1 ? "largest speed-up" : "speed-up over the default",
              fmt::format("{:.2f}×", gain->speedup), where);
}

std::string time_tile(const TuneReport& report) {
  const BatchResult* gain = fastest_gain(report);
  if (gain == nullptr || !gain->best) return {};
  const Roofline roof = roofline_of_best(*gain, report.device);
  const std::string rate = achieved_text(roof) == "-" ? std::string("work per run is not stated")
                                                      : achieved_text(roof) + ", " + limit_text(roof);
  return tile("time of one run", time_text(gain->best->time_ns), rate);
}

std::string count_tiles(const TuneReport& report) {
  std::int64_t evaluated = 0, reused = 0, failed = 0, pruned = 0;
  for (const BatchResult& batch : report.batches) {
    evaluated += batch.evaluated;
    reused += batch.reused;
    failed += batch.failed;
    pruned += batch.pruned_static;
  }
  return tile("configurations seen", grouped(evaluated),
              fmt::format("of {} valid; {} known from earlier runs", grouped(report.space_count), grouped(reused))) +
         tile("without a time", grouped(failed + pruned), fmt::format("{} ruled out before running", grouped(pruned))) +
         tile("took", duration_text(report.wall_s), report.interrupted ? "interrupted: the best so far" : "wall time");
}

std::vector<HtmlCell> batch_row(const TuneReport& report, const BatchResult& batch) {
  const Roofline roof = roofline_of_best(batch, report.device);
  const bool gain = batch.speedup_low > 1.01;
  return {
      {fmt::format("<a href=\"#batch-{}\">{}</a>", batch.batch, batch.batch), "n"},
      {batch.default_config ? time_text(batch.default_config->time_ns) : "failed", "n"},
      {batch.best ? fmt::format("<b>{}</b>", time_text(batch.best->time_ns)) : "none", "n"},
      {speedup_text(batch, kPageTextStyle), gain ? "n good" : "n"},
      {achieved_text(roof), "n"},
      {limit_text(roof), "n"},
      {fmt::format("{}{}", std::max<std::size_t>(batch.ties.size(), batch.best ? 1 : 0), batch.unresolved ? " ?" : ""),
       "n"},
      {grouped(batch.evaluated), "n"},
      {grouped(batch.reused), "n"},
      {grouped(batch.failed), "n"},
      {grouped(batch.pruned_static), "n"}};
}

std::string result_table(const TuneReport& report) {
  std::vector<std::vector<HtmlCell>> rows;
  for (const BatchResult& batch : report.batches) rows.push_back(batch_row(report, batch));
  return html_table({{"Batch", "n"},
                     {"Default", "n"},
                     {"Best", "n"},
                     {"Speed-up (95 %)", "n"},
                     {"Achieved", "n"},
                     {"Of the device’s limit", "n"},
                     {"Ties", "n"},
                     {"Evaluated", "n"},
                     {"Reused", "n"},
                     {"Failed", "n"},
                     {"Pruned", "n"}},
                    rows);
}

bool worth_a_chart(const TuneReport& report) {
  return std::count_if(report.batches.begin(), report.batches.end(),
                       [](const BatchResult& batch) { return batch.best.has_value(); }) > 1;
}

}  // namespace

std::string page_overview(const TuneReport& report) {
  std::string out = "<section id=\"result\">\n<h2>Result</h2>\n<div class=\"tiles\">\n";
  out += gain_tile(report) + time_tile(report) + count_tiles(report) + "</div>\n";
  for (const std::string& warning : report.warnings)
    out += fmt::format("<p class=\"warning\">{}</p>\n", escaped(warning));
  out += result_table(report);
  if (worth_a_chart(report) && !kChartLibrary.empty())
    out +=
        "<figure><figcaption><b>Time by batch.</b> One run of the default and of the best configuration; both axes are "
        "logarithmic.</figcaption><div class=\"chart overview\"><canvas "
        "data-chart=\"overview\"></canvas></div></figure>\n";
  return out + "</section>\n";
}

}  // namespace kerntune::report
