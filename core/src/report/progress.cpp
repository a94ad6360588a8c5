// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <kerntune/core/report.hpp>

#include "text_table.hpp"

namespace kerntune::report {
namespace {

std::optional<double> fraction_done(const TuneProgress& progress) {
  std::optional<double> fraction;
  if (progress.evaluations_total && *progress.evaluations_total > 0)
    fraction = static_cast<double>(progress.evaluations_done) / static_cast<double>(*progress.evaluations_total);
  if (progress.seconds_left) {
    const double whole = progress.elapsed_s + std::max(0.0, *progress.seconds_left);
    const double by_time = whole > 0 ? progress.elapsed_s / whole : 0;
    fraction = std::max(fraction.value_or(0), by_time);
  }
  if (fraction) fraction = std::clamp(*fraction, 0.0, 1.0);
  return fraction;
}

std::string bar(double fraction, int cells, const Style& style) {
  const int full = static_cast<int>(std::lround(fraction * cells));
  std::string text;
  for (int i = 0; i < cells; ++i) text += style.utf8 ? (i < full ? "█" : "░") : (i < full ? "#" : ".");
  return text;
}

std::string best_text(const TuneProgress& progress, const Style& style) {
  if (!(progress.best_ns > 0)) return "no result yet";
  std::string text = "best " + time_text(progress.best_ns, style);
  if (progress.default_ns > 0)
    text += fmt::format(" ({:.2f}{} default)", progress.default_ns / progress.best_ns, style.utf8 ? "×" : "x");
  return text;
}

std::string left_text(const TuneProgress& progress) {
  if (progress.kind == TuneProgress::Kind::batch_finished) return "in " + duration_text(progress.elapsed_s);
  if (progress.seconds_left) return duration_text(std::max(0.0, *progress.seconds_left)) + " left";
  const auto done = static_cast<double>(progress.evaluations_done);
  if (!progress.evaluations_total || done < 1) return {};
  const double rest = static_cast<double>(*progress.evaluations_total) - done;
  if (rest <= 0) return {};
  return "about " + duration_text(std::max(0.0, rest) * progress.elapsed_s / done) + " left";
}

std::string done_text(const TuneProgress& progress) {
  if (!progress.evaluations_total) return grouped(progress.evaluations_done);
  return fmt::format("{}/{}", grouped(progress.evaluations_done), grouped(*progress.evaluations_total));
}

/// Pieces by falling importance: what does not fit is left out from the end.
std::vector<std::string> pieces(const TuneProgress& progress, const Style& style) {
  std::vector<std::string> all;
  all.push_back(done_text(progress));
  all.push_back(progress.kind == TuneProgress::Kind::confirming ? "confirming, " + best_text(progress, style)
                                                                : best_text(progress, style));
  const std::string left = left_text(progress);
  if (!left.empty() && progress.kind != TuneProgress::Kind::confirming) all.push_back(left);
  if (progress.failed > 0) all.push_back(fmt::format("{} failed", grouped(progress.failed)));
  if (progress.elapsed_s >= 1 && progress.evaluations_done > 0)
    all.push_back(fmt::format("{:.1f}/s", static_cast<double>(progress.evaluations_done) / progress.elapsed_s));
  if (progress.compiles_running > 0 || progress.compiles_ready > 0)
    all.push_back(fmt::format("compiling {}, ready {}", progress.compiles_running, progress.compiles_ready));
  if (progress.reused > 0) all.push_back(fmt::format("{} known", grouped(progress.reused)));
  return all;
}

}  // namespace

std::string progress_line(const TuneProgress& progress, ProgressBar with_bar, const Style& style) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 20));
  std::string line = fmt::format("batch {}", progress.batch);
  if (progress.batch_total > 1) line += fmt::format(" ({}/{})", progress.batch_index + 1, progress.batch_total);
  const std::optional<double> fraction = fraction_done(progress);
  if (with_bar == ProgressBar::with && fraction && width >= 80)
    line += "  " + bar(*fraction, width >= 120 ? 24 : 12, style);
  for (const std::string& piece : pieces(progress, style)) {
    if (columns_of(line) + 2 + columns_of(piece) > width) break;
    line += "  " + piece;
  }
  return clipped(line, width, style);
}

}  // namespace kerntune::report
