// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <kerntune/core/device.hpp>

#include "device_memory.hpp"
#include "engine_kernels.hpp"
#include "prepared.hpp"
#include "steady_clock.hpp"
#include "stream_tools.hpp"

namespace kerntune::cuda {

/// Times runs of prepared configurations with events; docs/measuring.md says why it is done this way.
///
/// For each group of samples, everything is queued while a blocking kernel holds the stream, so that no gap of the host
/// lies inside a sample:
///   1. blocker; a stamp of the multiprocessors' clock
///   2. for each sample: inout buffers filled again; cold: L2 flushed; event; the runs; event
///   3. another stamp; the host releases the blocker and waits for the stream
/// Nothing but the runs lies between a sample's two events. A sample is (events' distance - overhead) / runs: what a
/// run takes in a stream that is kept busy.
class Timer {
 public:
  /// Borrows both. Allocates the flush buffer of a cold policy. `runs`: see runs_per_sample. Errors: Rejected.
  Timer(Context& context, EngineKernels& kernels, const MeasurePolicy& policy, std::uint64_t l2_bytes, int runs);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Runs `prepared` untimed, then takes `count` samples. Requires: it is active and its buffers are filled.
  /// `between_samples` restores what a run changes; it is enqueued before each sample, outside the events.
  /// Errors: Rejected; a duration that is not positive is one.
  Timing time(CudaPrepared& prepared, int warmup, int count, const std::function<void()>& between_samples);

  /// Runs between the events of a sample: 1 for kernels from kSingleRunNs on, enough for kBatchNs below. 0: not chosen.
  int runs_per_sample() const noexcept { return runs_; }
  /// Chooses by the time of `prepared`, for it and all later ones. `batches`: whether several runs can follow each
  /// other.
  void choose_runs(CudaPrepared& prepared, bool batches, const std::function<void()>& between_samples);

  /// Enqueues what precedes every cold sample; nothing under a warm policy.
  void flush();

  /// Median distance of the events around an empty kernel. Measured when made.
  double floor_ns() const noexcept { return floor_ns_; }
  /// What an event pair adds to the runs between them, beyond what a run takes in a busy stream; subtracted from every
  /// distance. Measured when made, with a kernel of known length: alone, and in batches.
  double overhead_ns() const noexcept { return overhead_ns_; }
  /// False if a debugger or a profiler makes launches wait, so that the host's gaps are inside the samples.
  bool blocks() const noexcept { return blocks_; }

 private:
  /// One sample's work, queued in order.
  struct Sample {
    std::function<void()> before;
    std::function<void()> run;
    std::size_t operations = 1;  // of both, on the stream
    int runs = 1;
  };
  class Hold;

  Sample sample_of(CudaPrepared& prepared, int runs, const std::function<void()>& between_samples);
  void calibrate();
  double distance_ns(const std::function<void()>& run, int runs, int samples);
  double warm_up(const Sample& sample, int count);
  int affordable_runs(CudaPrepared& prepared, double run_ns, const std::function<void()>& between_samples);
  Timing measure(const Sample& sample, int count);
  void measure_group(const Sample& sample, std::size_t count, Timing& timing);
  void take_group(const Sample& sample, std::size_t count, Timing& timing);
  double clock_mhz() const;
  void block();

  Context& context_;
  EngineKernels& kernels_;
  MeasurePolicy policy_;
  DeviceMemory flush_;
  EventPool events_;
  MappedSignals signals_;
  SteadyClock clock_;
  bool blocks_ = true;
  int runs_ = 0;
  double floor_ns_ = 0, overhead_ns_ = 0;
};

}  // namespace kerntune::cuda
