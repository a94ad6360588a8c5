// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <map>
#include <optional>
#include <string>

#include "plan_cache.hpp"

namespace kerntune::cupti {

/// What sessions on one device share: what the device offers, the plans made so far, and the host's object of its chip.
/// Each takes longer to make than counting a dozen configurations. Made at the first use. Used by one thread.
class PlanningRoom {
 public:
  /// Borrows `api`. `context` is the device's. Errors of the members: CuptiError, UsageError.
  PlanningRoom(const CuptiApi& api, CUcontext context, std::string chip)
      : api_(api), context_(context), chip_(std::move(chip)) {}

  const Plan& plan(PlanRequest request);
  const HostProfiler& host();

 private:
  const CuptiApi& api_;
  CUcontext context_;
  std::string chip_;
  std::optional<std::vector<std::uint8_t>> availability_;
  std::optional<HostProfiler> host_;
  std::map<std::string, Plan> plans_;  // by key
};

}  // namespace kerntune::cupti
