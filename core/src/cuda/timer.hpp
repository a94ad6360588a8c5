// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <kerntune/core/device.hpp>

#include "device_memory.hpp"
#include "engine_kernels.hpp"
#include "prepared.hpp"
#include "stream_tools.hpp"

namespace kerntune::cuda {

/// Times runs of prepared configurations with events; docs/measuring.md says why it is done this way.
///
/// For each group of samples, everything is queued while a blocking kernel holds the stream, so that no gap of the host
/// lies inside a sample:
///   1. blocker
///   2. for each sample: inout buffers filled again; cold: L2 flushed; event; the run; event
///   3. the host releases the blocker and waits for the stream
/// Nothing but the run lies between a sample's two events.
class Timer {
 public:
  /// Borrows both. Allocates the flush buffer of a cold policy. Errors: Rejected.
  Timer(Context& context, EngineKernels& kernels, const MeasurePolicy& policy, std::uint64_t l2_bytes);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Runs `prepared` untimed, then `launches` times timed. Requires: it is active and its buffers are filled.
  /// `between_runs` restores what a run changes; it is enqueued before each run, outside the events.
  /// Errors: Rejected; a duration that is not positive is one.
  Samples time(CudaPrepared& prepared, int warmup, int launches, const std::function<void()>& between_runs);

  /// Median duration that the timer gives to an empty kernel: what every sample includes. Measured when made.
  double floor_ns() const noexcept { return floor_ns_; }
  /// False if a debugger or a profiler makes launches wait, so that the host's gaps are inside the samples.
  bool blocks() const noexcept { return blocks_; }

 private:
  /// One sample's work, queued in order.
  struct Sample {
    std::function<void()> before;
    std::function<void()> run;
    std::size_t operations = 1;  // of both, on the stream
  };
  class Hold;

  Samples measure(const Sample& sample, int count);
  void measure_group(const Sample& sample, std::size_t count, Samples& samples);
  double duration_ns(std::size_t sample);
  void flush();
  void block();

  Context& context_;
  EngineKernels& kernels_;
  MeasurePolicy policy_;
  DeviceMemory flush_;
  EventPool events_;
  MappedSignals signals_;  // [0] release, [1] the blocker gave up
  bool blocks_ = true;
  double floor_ns_ = 0;
};

}  // namespace kerntune::cuda
