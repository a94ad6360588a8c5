// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_parts.hpp"

namespace kerntune::report {

/// Null without readings.
Json counters_json(const Counters& counters);
/// Derived features, the bottleneck vector and what limits the run in words; null without readings.
Json explanation_json(const Counters& counters, const Facts& facts, const DeviceInfo& device, double time_ns);
/// What changed in counters from `other` to `best`, in words; empty unless both have some.
std::vector<std::string> counter_changes(const Finalist& best, const Finalist& other, const DeviceInfo& device);
Json access_json(const CounterAccess& access);

}  // namespace kerntune::report
