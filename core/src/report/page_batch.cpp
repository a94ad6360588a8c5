// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "analysis.hpp"
#include "describe.hpp"
#include "failures.hpp"
#include "html.hpp"

namespace kerntune::report {
namespace {

constexpr std::size_t kStripsShown = 6;

std::string canvas(std::string_view chart, std::size_t number, std::string_view key) {
  if (kChartLibrary.empty()) return {};
  return fmt::format(
      "<div class=\"chart {0}\"><canvas data-chart=\"{0}\" data-batch=\"{1}\" data-key=\"{2}\"></canvas></div>", chart,
      number, escaped(key));
}

std::string default_text_of(const BatchResult& batch) {
  return batch.default_config ? batch.default_config->config_text : std::string();
}

/// Every parameter as a chip; those that differ from the default stand out and show it.
std::string config_chips(const std::string& config, const std::string& default_config) {
  const std::vector<ConfigChange> changes = changes_from(config, default_config);
  std::string out = "<p class=\"config\">";
  for (const ConfigValue& value : parse_config_text(config)) {
    const auto change =
        std::find_if(changes.begin(), changes.end(), [&](const ConfigChange& one) { return one.name == value.name; });
    const bool changed = change != changes.end() && !default_config.empty();
    const std::string was = changed && !change->default_value.empty()
                                ? fmt::format(" <s title=\"default\">{}</s>", escaped(change->default_value))
                                : std::string();
    out += fmt::format("<span class=\"param{}\">{} <b>{}</b>{}</span> ", changed ? " changed" : "", escaped(value.name),
                       escaped(expr::to_text(value.value)), was);
  }
  return out + "</p>\n";
}

std::string verdict(const BatchResult& batch) {
  std::string text = fmt::format("{} instead of {}: {}. ", time_text(batch.best->time_ns),
                                 batch.default_config ? time_text(batch.default_config->time_ns) : "no default time",
                                 speedup_text(batch, kPageTextStyle));
  text += batch.best->verified == "reference" ? "Its output was checked against the reference."
                                              : fmt::format("Verified: {}.", batch.best->verified);
  if (batch.ties.size() > 1)
    text += fmt::format(" {} configurations could not be told apart from it; the pick among them is deterministic.",
                        batch.ties.size());
  if (batch.unresolved) text += " Some were still unresolved after the last confirmation round.";
  return escaped(text);
}

std::string best_part(const BatchResult& batch) {
  if (!batch.best)
    return fmt::format("<p class=\"warning\">{}</p>\n",
                       escaped(batch.note.empty() ? "No configuration could be used." : batch.note));
  return fmt::format("<p>{}</p>\n", verdict(batch)) + config_chips(batch.best->config_text, default_text_of(batch));
}

std::string convergence_part(const BatchResult& batch, std::size_t number) {
  if (batch.trace.empty() || kChartLibrary.empty()) return {};
  return fmt::format(
      "<figure><figcaption><b>Convergence.</b> Each point is one configuration in the order it was seen; the "
      "line is the best so far, the dashed line the default.</figcaption>{}</figure>\n",
      canvas("convergence", number, ""));
}

std::string effect_bars(const std::vector<ParameterEffect>& effects) {
  std::string out = "<div class=\"bars\">\n";
  for (const ParameterEffect& effect : effects)
    out += fmt::format("<span>{}</span><div><i style=\"width:{:.1f}%\"></i></div><span class=\"n\">{:.0f} %</span>\n",
                       escaped(effect.name), effect.explained * 100, effect.explained * 100);
  return out + "</div>\n";
}

std::string effect_table(const std::vector<ParameterEffect>& effects) {
  std::vector<std::vector<HtmlCell>> rows;
  for (const ParameterEffect& effect : effects)
    for (const ValueGroup& group : effect.values)
      rows.push_back({{escaped(effect.name)},
                      {escaped(group.value)},
                      {grouped(static_cast<std::int64_t>(group.points.size())), "n"},
                      {time_text(group.low), "n"},
                      {time_text(group.q1), "n"},
                      {time_text(group.median), "n"},
                      {time_text(group.q3), "n"},
                      {time_text(group.high), "n"}});
  const std::string table = html_table({{"Parameter"},
                                        {"Value"},
                                        {"Timed", "n"},
                                        {"Fastest", "n"},
                                        {"Lower quarter", "n"},
                                        {"Median", "n"},
                                        {"Upper quarter", "n"},
                                        {"Slowest", "n"}},
                                       rows);
  return fmt::format("<details{}><summary>As a table</summary>\n{}</details>\n", kChartLibrary.empty() ? " open" : "",
                     table);
}

std::string effect_part(const TuneReport& report, const BatchResult& batch, std::size_t number) {
  const std::vector<ParameterEffect> effects = parameter_effects(report.spec, batch);
  if (effects.empty()) return {};
  std::string out =
      "<h3>Which parameters matter</h3>\n<p class=\"note\">Share of the variation of log(time) that one parameter "
      "explains alone, among the configurations that were timed. A search looks more closely where it is fast, "
      "so take the shares as a guide.</p>\n";
  out += effect_bars(effects);
  if (!kChartLibrary.empty()) {
    out += "<div class=\"grid\">\n";
    for (std::size_t i = 0; i < effects.size() && i < kStripsShown; ++i)
      out += fmt::format("<figure><figcaption><b>{}</b></figcaption>{}</figure>\n", escaped(effects[i].name),
                         canvas("strip", number, effects[i].name));
    out +=
        "</div>\n<p class=\"note\">Time by value: points are configurations, the box spans the middle half, the bar in "
        "it is "
        "the median, the green ring the best configuration. All share one logarithmic axis.</p>\n";
  }
  return out + effect_table(effects);
}

/// The part of the ratio axis that the intervals are drawn on: that of the leaders, so that they can be told apart.
struct RatioScale {
  double low = 1, high = 1;
  double x(double ratio) const { return 6 + 148 * (std::clamp(ratio, low, high) - low) / (high - low); }
};

RatioScale ratio_scale(const BatchResult& batch) {
  RatioScale scale;
  for (const Finalist& finalist : batch.finalists) {
    if (finalist.config_text == default_text_of(batch) && !finalist.tie) continue;
    scale.low = std::min(scale.low, finalist.ratio_low);
    scale.high = std::max(scale.high, finalist.ratio_high);
  }
  scale.high = std::min(scale.high, 1.2);  // beyond that a comparison needs no picture
  const double margin = std::max(0.002, 0.05 * (scale.high - scale.low));
  return {scale.low - margin, scale.high + margin};
}

/// A 95 % interval of the ratio to the leader; an arrow if it lies beyond the scale.
std::string interval_svg(const Finalist& finalist, const RatioScale& scale) {
  const std::string open = fmt::format(
      "<svg class=\"interval{}\" width=\"160\" height=\"16\" role=\"img\" aria-label=\"{:.4f} to {:.4f}\">"
      "<line class=\"one\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"0\" y2=\"16\"/>",
      finalist.tie ? " tie" : "", finalist.ratio_low, finalist.ratio_high, scale.x(1), scale.x(1));
  if (finalist.ratio_low > scale.high) return open + "<path d=\"M146 3l8 5-8 5z\"/></svg>";
  return open +
         fmt::format(
             "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"8\" y2=\"8\"/><circle cx=\"{:.1f}\" cy=\"8\" r=\"3.5\"/></svg>",
             scale.x(finalist.ratio_low), scale.x(finalist.ratio_high), scale.x(finalist.ratio));
}

std::string role_of(const BatchResult& batch, const Finalist& finalist) {
  std::string marks;
  if (batch.best && finalist.config_text == batch.best->config_text) marks += "<span class=\"mark best\">best</span> ";
  if (finalist.config_text == default_text_of(batch)) marks += "<span class=\"mark default\">default</span> ";
  if (finalist.tie) marks += "<span class=\"mark\">tie</span>";
  return marks;
}

std::string changes_html(const BatchResult& batch, const Finalist& finalist) {
  const std::vector<ConfigChange> changes = changes_from(finalist.config_text, default_text_of(batch));
  if (changes.empty()) return "<span class=\"note\">as the default</span>";
  std::string out;
  for (const ConfigChange& change : changes)
    out += fmt::format("{}{} <b>{}</b>", out.empty() ? "" : ", ", escaped(change.name), escaped(change.value));
  return out;
}

std::string finalists_part(const BatchResult& batch) {
  if (batch.finalists.empty()) return {};
  const RatioScale scale = ratio_scale(batch);
  std::vector<std::vector<HtmlCell>> rows;
  for (const Finalist& finalist : batch.finalists)
    rows.push_back(
        {{role_of(batch, finalist)},
         {time_text(finalist.time_ns), "n"},
         {fmt::format("{:.4f} ({:.4f}–{:.4f})", finalist.ratio, finalist.ratio_low, finalist.ratio_high), "n"},
         {interval_svg(finalist, scale)},
         {escaped(finalist.verified)},
         {changes_html(batch, finalist), "values"}});
  return fmt::format(
             "<h3>Final</h3>\n<p class=\"note\">The leaders and the default, measured in {} interleaved rounds: time "
             "over "
             "the leader’s, with its 95 % interval.</p>\n",
             batch.confirm_rounds) +
         html_table({{""},
                     {"Time", "n"},
                     {"Ratio to the leader", "n"},
                     {"Interval"},
                     {"Verified"},
                     {"Differs from the default"}},
                    rows);
}

bool varies(const BatchResult& batch, const std::string& fact) {
  const double* first = nullptr;
  for (const EvaluationTrace& trace : batch.trace) {
    const auto found = trace.facts.find(fact);
    if (found == trace.facts.end() || trace.status == EvaluationTrace::Status::rejected) continue;
    if (first != nullptr && *first != found->second) return true;
    first = &found->second;
  }
  return false;
}

std::string facts_part(const BatchResult& batch, std::size_t number) {
  if (kChartLibrary.empty()) return {};
  std::string out;
  int shown = 0;
  for (const auto& [name, label] :
       {std::pair{"regs", "Registers per thread"}, std::pair{"occupancy", "Occupancy"},
        std::pair{"waves", "Waves of blocks"}, std::pair{"spill_bytes", "Spilled bytes per thread"},
        std::pair{"dynamic_shared_bytes", "Dynamic shared memory"},
        std::pair{"threads_per_block", "Threads per block"}}) {
    if (shown == 3 || !varies(batch, name)) continue;
    out += fmt::format("<figure><figcaption><b>{}</b></figcaption>{}</figure>\n", label, canvas("fact", number, name));
    ++shown;
  }
  if (out.empty()) return {};
  return "<h3>What the compiler and the launch say</h3>\n<p class=\"note\">Facts known before a launch, against "
         "time.</p>\n"
         "<div class=\"grid\">\n" +
         out + "</div>\n";
}

std::string failures_part(const BatchResult& batch) {
  TuneReport one;
  one.batches.push_back(batch);
  std::vector<std::vector<HtmlCell>> rows;
  for (const FailureGroup& group : failure_groups(one))
    rows.push_back({{escaped(group.reason)},
                    {grouped(group.count), "n"},
                    {group.example.empty() ? ""
                                           : fmt::format("<code>{}</code><pre>{}</pre>", escaped(group.example_config),
                                                         escaped(group.example))}});
  if (rows.empty()) return {};
  return "<h3>Without a time</h3>\n" + html_table({{"Reason"}, {"Count", "n"}, {"For example"}}, rows);
}

}  // namespace

std::string page_batch(const TuneReport& report, const BatchResult& batch, std::size_t number) {
  const std::string sizes = other_dims_text(report, batch);
  std::string out = fmt::format("<section class=\"batch\" id=\"batch-{}\">\n<h2>Batch {}{}</h2>\n", batch.batch,
                                batch.batch, sizes.empty() ? "" : fmt::format(" <small>{}</small>", escaped(sizes)));
  out += best_part(batch) + convergence_part(batch, number) + finalists_part(batch);
  out += effect_part(report, batch, number) + facts_part(batch, number) + failures_part(batch);
  return out + "</section>\n";
}

}  // namespace kerntune::report
