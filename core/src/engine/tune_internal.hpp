// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kerntune/core/tuner.hpp>

namespace kerntune {

/// What the engine's own callers may ask of a run beyond a TuneRequest.
struct TuneOptions {
  int fixed_launches = 0;  // see BatchSetup
};
TuneReport tune_with(const TuneRequest& request, const TuneOptions& options, const ProgressSink& progress,
                     const StopFlag& stop);

}  // namespace kerntune
