// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <kerntune/core/catalogue.hpp>
#include <kerntune/core/device.hpp>
#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/core/rejection.hpp>
#include <kerntune/search/param_space.hpp>

namespace kerntune {

/// When a search stops: at whichever comes first.
struct Budget {
  std::optional<std::int64_t> evaluations;  // per batch, unique configurations
  std::optional<double> seconds;            // per run, split evenly over the remaining batches
};

struct TuneRequest {
  KernelEntry kernel;
  std::string device = "host";  // "auto" is resolved by the caller
  std::vector<std::int64_t> batches;
  Dims dims;             // without the batch; missing ones take their default
  std::string strategy;  // empty: search::default_strategy()
  Budget budget;
  std::uint64_t seed = 1;
  MeasurePolicy policy;
  std::string store_path;
  bool retry_failed = false;
  std::string command;               // for the run's record
  double evaluation_timeout_s = 30;  // of one step of an evaluation, beside what launches usually take
  double compile_timeout_s = 60;
  std::uint64_t memory_limit_bytes = 0;  // of one worker process; 0: 4 GiB for compilers, else 3/4 of the machine's
  int compile_processes = 0;             // 0: as many as there are CPUs, less one on machines with more than two
};

/// One configuration's story, for the report. Times in nanoseconds.
struct EvaluationTrace {
  std::int64_t index = 0;  // order of observation, from 0
  search::Config config;
  std::string config_text;
  enum class Status { measured, slower, rejected } status = Status::rejected;
  bool reused = false;  // known from the store
  double time_ns = 0;   // median; lower bound if slower; 0 if rejected
  std::optional<Rejection> rejection;
  Facts facts;
  double at_s = 0;  // seconds since the batch began
  double compile_ms = 0;
};

/// A configuration's paired comparison in the final.
struct Finalist {
  search::Config config;
  std::string config_text;
  double time_ns = 0;                               // median over the confirmation rounds
  double ratio = 1, ratio_low = 1, ratio_high = 1;  // median of time/leader over rounds, with its 95 % interval
  std::string verified;
  Facts facts;
  bool tie = false;
};

struct BatchResult {
  std::int64_t batch = 0;
  Dims dims;                   // complete
  std::int64_t evaluated = 0;  // observed by the strategy, reused ones included
  std::int64_t reused = 0;
  std::int64_t failed = 0;
  std::map<std::string, std::int64_t> failures_by_reason;
  std::int64_t pruned_static =
      0;  // turned down before compiling or launching; counted neither as evaluated nor as failed
  std::optional<Finalist> default_config;  // absent if the default could not run
  std::optional<Finalist> best;            // absent if nothing could
  std::vector<Finalist> finalists;         // best first, default included
  std::vector<std::string> ties;           // config texts, best first
  bool unresolved = false;
  int confirm_rounds = 0;
  double speedup = 0, speedup_low = 0, speedup_high = 0;  // default time / best time, paired
  std::optional<double> flop, bytes;                      // of one run of the kernel
  std::vector<EvaluationTrace> trace;
  double wall_s = 0;
  double lane_idle_fraction = 0;  // share of the lane's time idle while a compiled candidate waited
  std::string note;               // why there is no result, if there is none
  bool device_lost = false;
  std::string provisional;  // why the times cannot be relied on: who else used the device; empty: they can
};

struct TuneReport {
  std::string kernel;
  KernelSpec spec;
  DeviceInfo device;
  std::string toolchain;
  std::string strategy;
  std::uint64_t seed = 0;
  std::string policy;
  std::string store_path;
  std::string run_id;
  std::string space_count;  // decimal
  double wall_s = 0;
  bool interrupted = false;
  std::string stopped;  // why the run ended before its time, if it was not a user: the device was lost
  int worker_restarts = 0;
  double slowest_restart_s = 0;
  std::vector<BatchResult> batches;
  std::vector<std::string> warnings;
};

/// Progress, called on the thread that called tune(), between evaluations.
struct TuneProgress {
  enum class Kind { batch_started, evaluated, confirming, batch_finished, note } kind = Kind::note;
  std::int64_t batch = 0;
  std::size_t batch_index = 0, batch_total = 0;
  std::int64_t evaluations_done = 0;
  std::optional<std::int64_t> evaluations_total;  // min(budget, space)
  std::int64_t reused = 0, failed = 0;
  double best_ns = 0, default_ns = 0;  // 0: none yet
  std::string best_config;
  int compiles_running = 0, compiles_ready = 0;
  double elapsed_s = 0;
  std::optional<double> seconds_left;
  std::string note;  // kind == note: one line
};
using ProgressSink = std::function<void(const TuneProgress&)>;

/// How a user stops a run: 1 finishes what is in flight and reports the best so far, 2 at once.
/// Written by a signal handler.
using StopFlag = std::atomic<int>;

/// Tunes a kernel for each batch, smallest first. Everything measured is committed to the store as it ends; running it
/// again re-measures nothing that is known and current. Spawns worker processes; this process opens no plugin and no
/// device. Requires: called on the main thread (workers die with the thread that spawned them). Errors: Error family
/// for a broken environment or request; what configurations do wrong is in the report.
TuneReport tune(const TuneRequest& request, const ProgressSink& progress, const StopFlag& stop);

/// Verifies and times one configuration (kerntune run).
struct RunRequest {
  KernelEntry kernel;
  std::string device = "host";
  std::string config;      // text; empty: the default
  std::int64_t batch = 0;  // 0: the batch dim's default
  Dims dims;
  MeasurePolicy policy;
  bool in_process = false;  // attachable by ncu, compute-sanitizer, cuda-gdb
  int launches = 50;
  double timeout_s = 60;
};
struct RunResult {
  std::string kernel, config;
  Dims dims;
  DeviceInfo device;
  std::optional<Rejection> rejection;
  Samples samples_ns;
  double median_ns = 0;
  std::string verified;
  Verification verification;
  Facts facts;
  std::optional<double> flop, bytes;
};
RunResult run_config(const RunRequest& request);

/// Measures every configuration of a space at each batch into a recording (kerntune record): JSON that `replay:FILE`
/// reads.
struct RecordRequest {
  TuneRequest tune;
  std::string output_path;
};
TuneReport record_space(const RecordRequest& request, const ProgressSink& progress, const StopFlag& stop);

}  // namespace kerntune
