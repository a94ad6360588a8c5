// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <functional>
#include <string>
#include <vector>

#include <kerntune/core/counters.hpp>

#include "pass_planner.hpp"

namespace kerntune::cupti {

/// Counts a batch of work in a context: user-defined ranges, replayed by us, decoded once. Starting costs some 45 ms
/// (the first time in a process, half a second), a range some 2 ms, so ranges belong together in one session.
///
/// While an instance lives the profiler is enabled in the context and nothing may be timed; it is disabled when it
/// ends. One at a time in a process, on the thread whose current context it is.
class RangeProfiler {
 public:
  /// Borrows all but the name; `host` is the plan's chip. Errors: CuptiError; access_after() says what it means.
  RangeProfiler(const CuptiApi& api, CUcontext context, const Plan& plan, const HostProfiler& host,
                std::string set_name);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// Calls `prepare(i)` and then `run(i)` for each range i, and all that once per pass; what `run` leaves on the device
  /// is what is counted, so it waits for its end. Neither may throw. Returns the ranges' counters in order.
  std::vector<Counters> collect(std::size_t ranges, const std::function<void(std::size_t)>& prepare,
                                const std::function<void(std::size_t)>& run);

 private:
  void configure(std::vector<std::uint8_t>& data, std::size_t ranges);
  Counters counters_of(const std::vector<std::uint8_t>& data, std::size_t range) const;

  const CuptiApi& api_;
  const Plan& plan_;
  const HostProfiler& host_;
  std::string set_name_;
  std::vector<std::string> names_;  // as counted
  CUpti_RangeProfiler_Object* object_ = nullptr;
};

/// What the device at hand offers, for PlanRequest::availability. Needs a context. Errors: CuptiError.
std::vector<std::uint8_t> counter_availability(const CuptiApi& api, CUcontext context);

}  // namespace kerntune::cupti
