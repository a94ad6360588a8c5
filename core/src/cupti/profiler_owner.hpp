// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "metric_sets.hpp"
#include "plan_cache.hpp"
#include "range_profiler.hpp"

namespace kerntune::cupti {

/// The one owner of the profiler in a device's process, and of what takes longer to make than counting a dozen
/// configurations: what the device offers, the plans made so far, the host's object of the chip, and the profiler
/// switched on. Each is made at the first use. Used by one thread.
class ProfilerOwner {
 public:
  /// Borrows `api`. `context` is the device's and outlives this. Errors of the members: CuptiError, UsageError.
  ProfilerOwner(const CuptiApi& api, CUcontext context, std::string chip)
      : api_(api), context_(context), chip_(std::move(chip)) {}

  /// See RangeProfiler::collect. `wish` names neither chip nor availability. The profiler is on afterwards, unless this
  /// throws; another session then starts in a few milliseconds instead of some 200.
  std::vector<Counters> count(const MetricSet& set, PlanRequest wish, std::size_t ranges,
                              const std::function<void(std::size_t)>& prepare,
                              const std::function<void(std::size_t)>& run);
  void switch_off() noexcept { profiler_.reset(); }

 private:
  const Plan& plan(PlanRequest request);

  const CuptiApi& api_;
  CUcontext context_;
  std::string chip_;
  std::optional<std::vector<std::uint8_t>> availability_;
  std::optional<HostProfiler> host_;
  std::map<std::string, Plan> plans_;  // by key
  std::optional<RangeProfiler> profiler_;
};

}  // namespace kerntune::cupti
