// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "describe.hpp"
#include "gpu_text.hpp"
#include "html.hpp"

namespace kerntune::report {
namespace {

std::string fact(std::string_view name, const std::string& html) {
  return html.empty() ? std::string() : fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html);
}

std::string values_html(const ParamSpec& param) {
  std::string out;
  for (const expr::Literal& value : param.values) {
    const std::string text = escaped(expr::to_text(value));
    out += (out.empty() ? "" : " ") + (value == param.default_value ? "<b class=\"chip\">" + text + "</b>" : text);
  }
  return out;
}

std::string device_html(const DeviceInfo& device) {
  std::string text = fmt::format("{} ({})", escaped(device.name), escaped(device.id));
  if (!device.driver.empty()) text += (device.kind == DeviceKind::cuda ? ", driver " : ", ") + escaped(device.driver);
  return text;
}

std::string limits_html(const DeviceInfo& device) {
  std::string text;
  if (device.peak_bytes_per_s > 0) text += rate_text(device.peak_bytes_per_s, "B/s") + " memory";
  if (device.peak_flop_per_s_f32 > 0)
    text += (text.empty() ? "" : ", ") + rate_text(device.peak_flop_per_s_f32, "FLOP/s") + " f32";
  return text.empty() ? "not known: achieved rates are shown without a percentage" : text;
}

std::string board_html(const DeviceInfo& device) {
  std::string html;
  if (!device.board) return html;
  for (const auto& [name, text] : board_lines(*device.board))
    html += fmt::format("{}{}: {}", html.empty() ? "" : "<br>", escaped(name), escaped(text));
  return html;
}

/// How the GPU was at each moment that was looked at.
std::string states_html(const TuneReport& report) {
  std::string html;
  for (const BatchResult& batch : report.batches)
    for (const GpuSnapshot& snapshot : batch.gpu_snapshots)
      html += fmt::format("{}batch {}, {}: {}", html.empty() ? "" : "<br>", batch.batch, escaped(snapshot.at),
                          escaped(state_text(snapshot.state)));
  return html;
}

std::string query_html(const TuneReport& report) {
  const auto usable = std::find_if(report.batches.begin(), report.batches.end(),
                                   [](const BatchResult& batch) { return batch.best.has_value(); });
  if (report.store_path.empty() || usable == report.batches.end()) return {};
  return fmt::format("<code>{}</code>", escaped(query_command(report, *usable)));
}

}  // namespace

std::string page_space(const TuneReport& report) {
  std::vector<std::vector<HtmlCell>> rows;
  for (const ParamSpec& param : report.spec.params)
    rows.push_back({{"<code>" + escaped(param.name) + "</code>"},
                    {param.role == Role::none ? "" : escaped(name_of(param.role))},
                    {values_html(param), "values"},
                    {escaped(param.summary)}});
  std::string out = fmt::format(
      "<section id=\"space\">\n<h2>Search space</h2>\n<p>{} valid configurations. The default "
      "values are framed.</p>\n",
      grouped(report.space_count));
  out += html_table({{"Parameter"}, {"Role"}, {"Values"}, {"Meaning"}}, rows);
  if (!report.spec.constraints.empty()) out += "<h3>Constraints</h3>\n<ul class=\"code\">\n";
  for (const std::string& constraint : report.spec.constraints)
    out += fmt::format("<li><code>{}</code></li>\n", escaped(constraint));
  if (!report.spec.constraints.empty()) out += "</ul>\n";
  return out + "</section>\n";
}

std::string page_run(const TuneReport& report, const std::string& command) {
  std::string out = "<section id=\"run\">\n<h2>Run</h2>\n<dl>\n";
  out += fact("Command", command.empty() ? std::string() : "<code>" + escaped(command) + "</code>");
  out += fact("Device", device_html(report.device));
  out += fact("Device key", "<code>" + escaped(report.device.device_class) + "</code>");
  out += fact("Device limits", limits_html(report.device));
  out += fact("Board", board_html(report.device));
  out += fact("While it ran", states_html(report));
  out += fact("Toolchain", escaped(report.toolchain));
  out += fact("Measured with", "<code>" + escaped(report.policy) + "</code>");
  out += fact("Strategy", fmt::format("{}, seed {}", escaped(report.strategy), report.seed));
  out +=
      fact("Stored in", report.store_path.empty() ? std::string() : "<code>" + escaped(report.store_path) + "</code>");
  out += fact("Run", report.run_id.empty() ? std::string() : "<code>" + escaped(report.run_id) + "</code>");
  out += fact("Ask for it", query_html(report));
  return out + "</dl>\n</section>\n";
}

}  // namespace kerntune::report
