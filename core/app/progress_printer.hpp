// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <kerntune/core/tuner.hpp>

#include "command.hpp"

namespace kerntune::app {

/// Shows progress on stderr: one redrawn line on a terminal, plain lines every 10 s or tenth of the work elsewhere.
/// Notes and what a batch ended with always get a line of their own.
class ProgressPrinter {
 public:
  enum class Show { progress, nothing };
  ProgressPrinter(const Console& console, Show show);
  ~ProgressPrinter();
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;

  void operator()(const TuneProgress& progress);
  /// Takes the redrawn line away, so that other text can follow.
  void clear();

 private:
  void redraw(const TuneProgress& progress);
  void log(const TuneProgress& progress);
  void line(const std::string& text);
  bool due(const TuneProgress& progress);

  report::Style style_;
  bool terminal_;
  Show show_;
  bool drawn_ = false;
  double last_draw_s_ = -1;
  double last_log_s_ = 0;
  std::int64_t last_tenth_ = 0;
  std::int64_t last_batch_ = -1;
};

/// Runs long work with progress on stderr and signals that stop it.
using LongWork = std::function<TuneReport(const ProgressSink&, const StopFlag&)>;
TuneReport run_with_progress(const Console& console, ProgressPrinter::Show show, const LongWork& work);

}  // namespace kerntune::app
