// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <kerntune/core/tuner.hpp>
#include <kerntune/search/strategy.hpp>
#include <kerntune/storage/result_store.hpp>

#include "engine/context.hpp"
#include "engine/device_lane.hpp"

namespace kerntune {

/// The journal of one batch: turns answers into rows and commits them, each commit together with the "started" rows of
/// what runs next. The only place that knows both the engine's structs and the store's records.
class EvaluationLog {
 public:
  EvaluationLog(storage::ResultStore& store, const TuningContext& context, Dims dims, std::string run_id);

  /// What the store knows of this size under the current identity, by configuration.
  std::map<std::string, storage::EvaluationRecord> load_known() const;

  void add(const std::string& config, const LaneAnswer& answer, const CompiledModule* module);
  void add_rejected(const std::string& config, const Rejection& rejection);
  /// A finalist's whole verification passed: its evaluation says so from now on. Winners need that.
  void prove(const Finalist& finalist);
  /// One durable commit of everything added and of the starts. Nothing to do: no commit.
  void commit(const std::vector<std::string>& starting);

 private:
  storage::EvaluationRecord record(const std::string& config) const;
  void set_verification(storage::EvaluationRecord& row, const std::string& verified,
                        const Verification& verification) const;

  storage::ResultStore& store_;
  const TuningContext& context_;
  Dims dims_;
  std::string run_id_;
  std::vector<storage::EvaluationRecord> pending_;
};

/// A stored evaluation as part of a trace.
EvaluationTrace trace_from(const storage::EvaluationRecord& record, search::Config config);
/// True for what verification says of an output: it holds for the reference and tolerances it was said with.
bool is_verdict(Reason reason);
search::Feedback feedback_from(const EvaluationTrace& trace);
std::int64_t unix_microseconds();

/// Adds what an evaluation cost.
void add_lane_time(const LaneAnswer& answer, LaneTime& lane);
std::int64_t throttled_samples(const Timing& timing);

}  // namespace kerntune
