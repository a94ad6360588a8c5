// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <kerntune/core/tuner.hpp>
#include <kerntune/search/strategy.hpp>
#include <kerntune/storage/result_store.hpp>

#include "engine/compile_pool.hpp"
#include "engine/context.hpp"
#include "engine/counter_budget.hpp"
#include "engine/device_lane.hpp"
#include "engine/evaluation_log.hpp"
#include "engine/final.hpp"
#include "engine/racing.hpp"
#include "engine/static_filter.hpp"
#include "engine/suspects.hpp"

namespace kerntune {

/// What a batch is tuned with. References are borrowed for the life of the BatchTuner.
struct BatchSetup {
  const TuneRequest& request;
  const TuningContext& context;
  DeviceLane& lane;
  CompilePool* pool = nullptr;  // for kernels that compile
  storage::ResultStore& store;
  const Suspects& suspects;
  std::string run_id;
  std::int64_t batch = 0;
  std::size_t index = 0;              // of this batch in the request
  std::optional<double> seconds;      // time for this batch
  int look_ahead = 1;                 // configurations proposed and not yet observed
  CounterBudget* counters = nullptr;  // null: none are taken
  int fixed_launches = 0;  // 0: race; else measure every configuration with this many launches, and play no final
  const ProgressSink& progress;
  const StopFlag& stop;
};

/// Tunes one size: proposes, filters, compiles, measures, observes, until the budget is spent; then plays the final.
/// One thread, one poll loop: the store and the strategy need no locks, and the lane never waits for anything that is
/// ready.
class BatchTuner {
 public:
  explicit BatchTuner(BatchSetup setup);
  BatchResult run();

 private:
  using Clock = std::chrono::steady_clock;

  /// A proposed configuration on its way to being observed.
  struct Candidate {
    search::Config config;
    std::string text;
    StaticView view;
    std::vector<CompiledModule> modules;
    bool suspect = false;  // a killed run was at it: the lane is its alone
  };

  BatchResult empty_result() const;
  void tune();
  bool start_session();
  void take_known();
  void search();
  void fill();
  bool may_propose() const;
  bool begin_default();
  void begin(search::Config config);
  tl::expected<void, Rejection> check_past(Candidate& candidate) const;
  bool may_dispatch(const Candidate& candidate, std::size_t busy) const;
  void collect_compiled();
  void on_compiled(std::uint64_t id, CompilePool::Outcome outcome);
  void dispatch();
  void collect_answers();
  void wait();
  void finish(Candidate candidate, LaneAnswer answer);
  void note_screened(const EvaluationTrace& trace, const Samples& samples);
  void count(const EvaluationTrace& trace, bool pruned);
  void decide();
  void summarise();
  void note_circumstances();
  bool restore_stored_final();
  void report(TuneProgress::Kind kind, std::string note = {});
  bool stopping() const { return setup_.stop.load() > 0 || (setup_.seconds && elapsed() > *setup_.seconds); }
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

  BatchSetup setup_;
  const SpecProgram& program_;
  BatchResult result_;
  EvaluationLog log_;
  std::unique_ptr<search::Strategy> strategy_;
  Clock::time_point begun_ = Clock::now();
  std::optional<std::int64_t> budget_;

  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, Candidate> candidates_;  // everything in flight
  std::deque<std::uint64_t> ready_;                // compiled, waiting for the lane
  bool suspect_in_lane_ = false;
  std::set<std::string> seen_;                   // config texts observed or in flight
  std::map<std::string, LaneAnswer> by_binary_;  // results by binary signature
  std::vector<Screened> screened_;
  NoisePool noise_{RacePolicy{}.noise_floor};
  int known_runs_per_sample_ = 0;  // of earlier results
  bool default_begun_ = false;
  bool exhausted_ = false;
  std::int64_t new_evaluations_ = 0;
  double best_ns_ = 0, default_ns_ = 0;
  std::string best_text_, default_text_;

  // Lane accounting: how long it had nothing to do while a compiled candidate waited, and how long the search took.
  Clock::duration idle_while_ready_{};
  std::optional<Clock::time_point> idle_since_;
};

}  // namespace kerntune
