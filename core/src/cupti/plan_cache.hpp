// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pass_planner.hpp"

namespace kerntune::cupti {

/// plan_passes, kept on disk under the library's version and everything that the request says: a plan takes 50 ms and
/// more to make. A damaged file is made anew. `folder` empty: the user's cache folder.
Plan cached_plan(const CuptiApi& api, const PlanRequest& request, const std::string& folder = {});

/// The key of a plan, a digest.
std::string plan_key(const CuptiApi& api, const PlanRequest& request);
/// A plan as bytes and back; nothing if they are not exactly those of a plan.
std::string encode_plan(const Plan& plan);
std::optional<Plan> decode_plan(std::string_view bytes);

}  // namespace kerntune::cupti
