// SPDX-License-Identifier: Apache-2.0
#include "planning_room.hpp"

#include "range_profiler.hpp"

namespace kerntune::cupti {

/// The device's offer is part of every plan's key on disk; here it is the same for all, and left out.
const Plan& PlanningRoom::plan(PlanRequest request) {
  request.chip = chip_;
  const std::string key = plan_key(api_, request);
  if (const auto made = plans_.find(key); made != plans_.end()) return made->second;
  if (!availability_) availability_ = counter_availability(api_, context_);
  request.availability = *availability_;
  return plans_.emplace(key, cached_plan(api_, request)).first->second;
}

const HostProfiler& PlanningRoom::host() {
  if (!host_) host_.emplace(api_, chip_, std::vector<std::uint8_t>());
  return *host_;
}

}  // namespace kerntune::cupti
