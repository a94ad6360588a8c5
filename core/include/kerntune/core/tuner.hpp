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
#include <kerntune/core/gpu_facts.hpp>
#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/core/rejection.hpp>
#include <kerntune/search/param_space.hpp>

namespace kerntune {

/// When a search stops: at whichever comes first.
struct Budget {
  std::optional<std::int64_t> evaluations;  // per batch, unique configurations
  std::optional<double> seconds;            // per run, split evenly over the remaining batches
};

/// Whether the winners' hardware counters are taken after a final.
enum class CounterUse { automatic, on, off };  // automatic: as long as that costs at most a tenth of the run

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
  std::string incumbent_path;               // a store whose winners are deployed: they play the final; empty: none
  std::optional<std::uint64_t> order_seed;  // screen what the strategy would in this random order (exhaustive only)
  std::vector<std::string> configurations;  // screen exactly these, in this order, instead of searching
  std::string command;                      // for the run's record
  double evaluation_timeout_s = 30;         // of one step of an evaluation, beside what launches usually take
  double compile_timeout_s = 60;
  std::uint64_t memory_limit_bytes = 0;  // of one worker process; 0: 4 GiB for compilers, else 3/4 of the machine's
  CounterUse counters = CounterUse::automatic;
  int compile_processes = 0;  // 0: as many as there are CPUs, less one on machines with more than two
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
  Verification verification;
  Facts facts;
  bool tie = false;
  std::vector<double> rounds_ns{};  // median of each round that it played
  Samples samples_ns{};             // every sample of them
  SampleFlags sample_flags{};       // one per sample; empty: none is flagged
  Counters counters{};              // of the best, the default and the runner-up, if they were taken
};

/// How what ran before fared in the final: the evidence that it was replaced, or that it was not.
struct IncumbentDefence {
  std::string config_text;
  std::string source;                               // "deployed", "stored" or "default"
  std::string challenger_text;                      // the winner, or the strongest that it withstood
  double ratio = 1, ratio_low = 1, ratio_high = 1;  // its time / the challenger's, paired, with the deciding interval
  bool replaced = false;                            // ratio_low is above 1.01
};

/// Where the device lane's time went, of one batch. Microseconds; the parts of `busy` but for fixed().
struct LaneTime {
  std::int64_t screened = 0;       // configurations that were launched
  std::int64_t samples = 0;        // taken, screening and final
  std::int64_t launches = 0;       // of the kernel under test to time it, untimed ones and batches included
  double busy_us = 0;              // evaluations and the final
  double launched_us = 0;          // launches of the kernel under test, of screening and final
  double verify_us = 0;            // verification, its launches included
  double screen_fixed_us = 0;      // busy time of screening that is neither
  double idle_while_ready_us = 0;  // waiting although a compiled candidate was ready
  /// Share of the time without verification in which the kernel under test ran.
  double launched_share() const { return busy_us > verify_us ? launched_us / (busy_us - verify_us) : 0; }
  double fixed_us_per_screened() const { return screened > 0 ? screen_fixed_us / static_cast<double>(screened) : 0; }
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
  LaneTime lane;
  int runs_per_sample = 1;                  // of the kernel, back to back; a sample is their mean
  std::int64_t throttled_samples = 0;       // taken below the steady clock
  std::optional<IncumbentDefence> defence;  // absent if no incumbent played against another
  std::string note;                         // why there is no result, or what to know about it
  bool device_lost = false;
  std::optional<CounterAccess> counter_access;  // absent if nobody asked
  /// Why the times cannot be relied on: who else used the device, or what held its clocks down; empty: they can.
  std::string provisional;
  GpuSnapshots gpu_snapshots;  // of a GPU, where NVML tells; a final that was restored brings its own
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
  SampleFlags sample_flags;
  double clock_mhz = 0;  // of the multiprocessors while samples were taken; 0: unknown
  double median_ns = 0;
  std::string verified;
  Verification verification;
  Facts facts;
  std::optional<double> flop, bytes;
};
RunResult run_config(const RunRequest& request);

/// Configurations against each other in the interleaved, paired rounds of a final (kerntune run --paired).
struct Comparison {
  std::string kernel;
  Dims dims;
  DeviceInfo device;
  std::string policy;
  struct Entry {
    std::string config;
    std::optional<Rejection> rejection;
    Finalist standing;  // meaningless if rejected
  };
  std::vector<Entry> entries;  // as asked for
  std::string leader;          // text of the fastest; empty if all failed
  int rounds = 0;
  int runs_per_sample = 1;
  bool unresolved = false;
  bool exhausted = false;  // a recording had no more samples
  std::string note;        // why there is no comparison, if there is none
};
/// `configs`: texts; an empty one is the default. The request's own configuration and launches are not looked at.
Comparison compare_configs(const RunRequest& request, const std::vector<std::string>& configs);

/// Hardware counters of some configurations, and what they say (kerntune profile).
struct ProfileReport {
  std::string kernel, policy;
  Dims dims;
  DeviceInfo device;
  CounterAccess access;
  struct Entry {
    std::string config;
    std::optional<Rejection> rejection;
    double time_ns = 0;  // timed before, without the profiler
    Facts facts;
    Counters counters;  // empty without access
  };
  std::vector<Entry> entries;         // as asked for
  std::optional<double> flop, bytes;  // that one run needs
  std::int64_t profile_us = 0;        // that taking the counters took
};
/// Each configuration is compiled, verified and timed before its counters are taken. `configs`: texts; an empty one is
/// the default. The request's own configuration is not looked at. Errors: as run_config's; UsageError for a metric or a
/// set that there is not. No access to counters is no error: the report says why.
ProfileReport profile_configs(const RunRequest& request, const std::vector<std::string>& configs,
                              const CounterRequest& counters);

/// Measures every configuration of a space at each batch into a recording (kerntune record): JSON that `replay:FILE`
/// reads.
struct RecordRequest {
  TuneRequest tune;
  std::string output_path;
};
TuneReport record_space(const RecordRequest& request, const ProgressSink& progress, const StopFlag& stop);

}  // namespace kerntune
