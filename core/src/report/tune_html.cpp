// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "describe.hpp"
#include "html.hpp"

namespace kerntune::report {
namespace {

std::string head(const TuneReport& report) {
  // The policy forbids every request; styles and scripts are in the page itself.
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{} on {} - "
      "kerntune</title>\n<style>\n{}</style>\n</head>\n",
      escaped(report.kernel), escaped(report.device.name), kPageStyle);
}

std::string title(const TuneReport& report) {
  std::string out = fmt::format("<header>\n<h1>{}</h1>\n", escaped(report.kernel));
  if (!report.spec.summary.empty()) out += fmt::format("<p>{}</p>\n", escaped(report.spec.summary));
  out += fmt::format("<p class=\"note\">Tuned on {} ({}), {}, strategy {}, seed {}</p>\n", escaped(report.device.name),
                     escaped(report.device.id), escaped(report.policy), escaped(report.strategy), report.seed);
  if (kChartLibrary.empty())
    out +=
        "<p class=\"warning\">This kerntune was built without Chart.js: the page shows tables instead of charts.</p>\n";
  return out + "</header>\n";
}

std::string batch_links(const TuneReport& report) {
  if (report.batches.size() < 2) return {};
  std::string out = "<nav id=\"tabs\" aria-label=\"Batches\">";
  for (const BatchResult& batch : report.batches)
    out += fmt::format("<a href=\"#batch-{}\">Batch {}</a>", batch.batch, batch.batch);
  return out + "</nav>\n";
}

std::string scripts(const TuneReport& report) {
  if (kChartLibrary.empty()) return {};
  return fmt::format(
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{}\n</script>\n<script>\n{}</script>\n",
      page_data(report), kChartLibrary, kPageScript);
}

}  // namespace

std::string tune_html(const TuneReport& report, const std::string& command) {
  std::string out = head(report) + "<body>\n<main>\n" + title(report) + page_overview(report) + batch_links(report);
  for (std::size_t i = 0; i < report.batches.size(); ++i) out += page_batch(report, report.batches[i], i);
  out += page_space(report) + page_run(report, command);
  return out + "</main>\n" + scripts(report) + "</body>\n</html>\n";
}

}  // namespace kerntune::report
