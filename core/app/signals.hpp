// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kerntune/core/tuner.hpp>

namespace kerntune::app {

/// While it lives, SIGINT, SIGTERM and SIGHUP raise a stop flag instead of ending the program: the first asks for the
/// best so far, the second for an end at once, the third ends the program as signals do. One at a time.
class StopOnSignals {
 public:
  StopOnSignals();
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;
  const StopFlag& flag() const noexcept;
};

}  // namespace kerntune::app
