// SPDX-License-Identifier: Apache-2.0
#include "profiler_owner.hpp"

namespace kerntune::cupti {

/// The device's offer is part of every plan's key on disk; here it is the same for all, and left out.
const Plan& ProfilerOwner::plan(PlanRequest request) {
  request.chip = chip_;
  const std::string key = plan_key(api_, request);
  if (const auto made = plans_.find(key); made != plans_.end()) return made->second;
  if (!availability_) availability_ = counter_availability(api_, context_);
  request.availability = *availability_;
  return plans_.emplace(key, cached_plan(api_, request)).first->second;
}

std::vector<Counters> ProfilerOwner::count(const MetricSet& set, PlanRequest wish, std::size_t ranges,
                                           const std::function<void(std::size_t)>& prepare,
                                           const std::function<void(std::size_t)>& run) {
  wish.wishes = set.metrics;
  const Plan& planned = plan(std::move(wish));
  if (!host_) host_.emplace(api_, chip_, std::vector<std::uint8_t>());
  try {
    if (!profiler_) profiler_.emplace(api_, context_);
    return profiler_->collect({planned, *host_, set.name}, ranges, prepare, run);
  } catch (...) {
    switch_off();
    throw;
  }
}

}  // namespace kerntune::cupti
