// SPDX-License-Identifier: Apache-2.0
#include "progress_printer.hpp"

#include <fmt/format.h>

#include "signals.hpp"

namespace kerntune::app {
namespace {

constexpr double kRedrawEvery_s = 0.1;
constexpr double kLogEvery_s = 10;

}  // namespace

ProgressPrinter::ProgressPrinter(const Console& console, Show show)
    : style_(console.err), terminal_(console.err_is_terminal), show_(show) {
  if (terminal_ && style_.width > 20) style_.width -= 1;  // the last column wraps on some terminals
}

ProgressPrinter::~ProgressPrinter() { clear(); }

void ProgressPrinter::clear() {
  if (!drawn_) return;
  say("\r\x1b[K");
  drawn_ = false;
}

void ProgressPrinter::operator()(const TuneProgress& progress) {
  if (show_ == Show::nothing) return;
  if (progress.kind == TuneProgress::Kind::note) {
    line(progress.note);
  } else if (terminal_) {
    redraw(progress);
  } else {
    log(progress);
  }
}

void ProgressPrinter::line(const std::string& text) {
  clear();
  say(text + "\n");
}

void ProgressPrinter::redraw(const TuneProgress& progress) {
  const bool finished = progress.kind == TuneProgress::Kind::batch_finished;
  if (finished) return line(report::progress_line(progress, report::ProgressBar::with, style_));
  const bool first = progress.batch != last_batch_ || progress.elapsed_s < last_draw_s_;
  if (!first && progress.elapsed_s - last_draw_s_ < kRedrawEvery_s) return;
  last_batch_ = progress.batch;
  last_draw_s_ = progress.elapsed_s;
  say(fmt::format("\r{}\x1b[K", report::progress_line(progress, report::ProgressBar::with, style_)));
  drawn_ = true;
}

bool ProgressPrinter::due(const TuneProgress& progress) {
  if (progress.batch != last_batch_) {
    last_batch_ = progress.batch;
    last_tenth_ = 0;
    last_log_s_ = progress.elapsed_s;
    return true;
  }
  if (progress.kind == TuneProgress::Kind::batch_finished) return true;
  const std::int64_t total = progress.evaluations_total.value_or(0);
  const std::int64_t tenth = total > 0 ? progress.evaluations_done * 10 / total : 0;
  // A line for each tenth, but no flood when all of it takes a moment.
  const double since = progress.elapsed_s - last_log_s_;
  if (!((tenth > last_tenth_ && since >= 1) || since >= kLogEvery_s)) return false;
  last_tenth_ = tenth;
  last_log_s_ = progress.elapsed_s;
  return true;
}

void ProgressPrinter::log(const TuneProgress& progress) {
  if (!due(progress)) return;
  report::Style wide = style_;
  wide.width = 200;
  line(report::progress_line(progress, report::ProgressBar::without, wide));
}

TuneReport run_with_progress(const Console& console, ProgressPrinter::Show show, const LongWork& work) {
  ProgressPrinter printer(console, show);
  const StopOnSignals stop;
  return work([&](const TuneProgress& progress) { printer(progress); }, stop.flag());
}

}  // namespace kerntune::app
