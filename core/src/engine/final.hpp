// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <kerntune/core/tuner.hpp>
#include <kerntune/storage/records.hpp>

#include "engine/compile_pool.hpp"
#include "engine/context.hpp"
#include "engine/counter_budget.hpp"
#include "engine/device_lane.hpp"
#include "engine/finalists.hpp"

namespace kerntune {

/// What ran before this run: it plays the final and is replaced only by a proven gain.
struct Incumbent {
  search::Config config;
  std::string text;
  std::string source;  // "deployed", "stored" or "default"
};

/// A size's final: who plays, on what, for how long.
struct FinalSetup {
  const TuningContext& context;
  Dims dims;
  DeviceLane& lane;
  CompilePool* pool = nullptr;        // for kernels that compile
  std::vector<Incumbent> incumbents;  // first choice first; the default is one if there is no other
  double noise = 0;                   // relative sigma of a sample, as screening saw it
  double max_seconds = 8;
  CounterBudget* counters = nullptr;                                        // null: none are taken
  std::function<bool(int round)> tick;                                      // false ends it
  std::function<void(const std::string& config, const Rejection&)> failed;  // a finalist that turned out wrong or broke
};

/// How a configuration fared in a final, as results have it.
Finalist finalist_of(search::Config config, const std::string& text, FinalEntry entry);

/// Plays the final and writes its result into `result` (best, default, finalists, ties, speed-up). Without a result
/// `note` says why.
void play_final(const FinalSetup& setup, const std::vector<Screened>& screened, BatchResult& result);

/// The winner as a row of the store, and back. `result.best` must be there.
storage::FinalRecord final_record(const TuningContext& context, const BatchResult& result, const std::string& run_id);
void restore_final(const TuningContext& context, const storage::FinalRecord& record, BatchResult& result);

/// True if others used the device meanwhile, or it was slowed down.
bool is_provisional(const storage::FinalRecord& record);

/// A compile job for a configuration; requires context.compiles().
tl::expected<CompileJob, Rejection> job_for(const TuningContext& context, const search::Config& config,
                                            const Dims& dims);

}  // namespace kerntune
