// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kerntune/core/counters.hpp>
#include <kerntune/core/device.hpp>

namespace kerntune {

/// What keeps further blocks from being resident, of those that wait.
enum class LaunchLimiter { none, registers, shared_memory, blocks, barriers };
std::string_view name_of(LaunchLimiter limiter) noexcept;

/// Quantities derived from counters and the compiler's facts; each absent where what it needs was not counted.
/// Fractions are of what the device at hand can sustain, 0 to 1. docs/counters.md has the formulas.
struct CounterFeatures {
  std::optional<double> dram_fraction;     // of bandwidth
  std::optional<double> l2_fraction;       // of sector throughput
  std::optional<double> l1_fraction;       // of L1 and shared-memory throughput
  std::optional<double> issue_fraction;    // of issue slots, while the multiprocessors are active
  std::optional<double> compute_fraction;  // of the busiest arithmetic pipe, likewise
  std::optional<double> tensor_fraction;   // of the tensor pipe, likewise
  std::optional<double> active_fraction;   // of the run, that a multiprocessor on average has work
  std::optional<double> achieved_occupancy, possible_occupancy;
  std::optional<double> memory_wait_fraction;  // of resident warps' time, waiting for global or local memory
  std::optional<double> dram_bytes, l2_sectors, l1_sectors, instructions;
  std::optional<double> l2_miss_fraction;     // DRAM bytes read per byte read from L2
  std::optional<double> sectors_per_request;  // of global loads: 4 is ideal for 4-byte elements, 16 for 16-byte ones
  std::optional<double> clock_mhz;            // while it was counted
  LaunchLimiter limiter = LaunchLimiter::none;
};
/// `time_ns`: of a run, as timed without the profiler; 0: unknown. A profiled range lasts some 20 us longer than what
/// runs in it, which metrics "of elapsed time" contain; with the time, the features do not.
CounterFeatures features_of(const Counters& counters, const Facts& facts, const DeviceInfo& device, double time_ns);

/// How near a run is to each thing that can limit it, 0 to 1; what was not counted is 0. `latency` is what remains when
/// nothing is near its limit although the multiprocessors have work, `tail` the part of the run in which they have
/// none.
struct Bottleneck {
  double dram = 0, l2 = 0, l1 = 0, compute = 0, tensor = 0, issue = 0, latency = 0, tail = 0;
};
Bottleneck bottleneck_of(const CounterFeatures& features) noexcept;

/// A configuration as an explanation sees it. Borrows.
struct Explained {
  std::string_view config;
  const Counters& counters;
  const Facts& facts;
  double time_ns = 0;
};

/// What limits a run, the nearest limit first, one sentence each without a full stop: "DRAM 91 % of peak: at the
/// limit". Empty without counters.
std::vector<std::string> limits_text(const CounterFeatures& features, const Facts& facts);

/// What changed in counters from `other` to `best`, the largest change first, at most `count`, in a kernel author's
/// words: "waiting for memory 62 -> 37 % of warp time", "occupancy 31 -> 62 %: fewer registers (96 -> 48)".
std::vector<std::string> changes_text(const Explained& best, const Explained& other, const DeviceInfo& device,
                                      std::size_t count = 4);

}  // namespace kerntune
