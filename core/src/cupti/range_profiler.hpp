// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <kerntune/core/counters.hpp>

#include "pass_planner.hpp"

namespace kerntune::cupti {

/// What is counted: a plan, the host's object of its chip, and the name of the set, as it is to stand in the results.
struct CountingPlan {
  const Plan& plan;
  const HostProfiler& host;
  std::string_view set_name;
};

/// Counts batches of work in a context: user-defined ranges, replayed by us, decoded once. The first session after
/// switching on takes some 200 ms (150 calls of the driver), a later one about 10, a range 1 to 2 (two calls), so
/// ranges belong together in a session and sessions together in a phase.
///
/// While an instance lives the profiler is on in the context. One at a time in a process, on the thread whose current
/// context it is.
class RangeProfiler {
 public:
  /// Borrows `api`. Errors: CuptiError; access_after() says what it means.
  RangeProfiler(const CuptiApi& api, CUcontext context);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// Calls `prepare(i)` and then `run(i)` for each range i, and all that once per pass; what `run` leaves on the device
  /// is what is counted, so it waits for its end. Neither may throw. Returns the ranges' counters in order.
  std::vector<Counters> collect(const CountingPlan& counted, std::size_t ranges,
                                const std::function<void(std::size_t)>& prepare,
                                const std::function<void(std::size_t)>& run);

 private:
  void configure(const Plan& plan, const std::vector<std::string>& names, std::vector<std::uint8_t>& data,
                 std::size_t ranges);

  const CuptiApi& api_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
};

/// What the device at hand offers, for PlanRequest::availability. Needs a context. Errors: CuptiError.
std::vector<std::uint8_t> counter_availability(const CuptiApi& api, CUcontext context);

}  // namespace kerntune::cupti
