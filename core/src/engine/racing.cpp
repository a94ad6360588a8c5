// SPDX-License-Identifier: Apache-2.0
#include "engine/racing.hpp"

#include <algorithm>
#include <numbers>

namespace kerntune {
namespace {

bool is_out(const RaceResult& result, const RaceState& state, const RacePolicy& policy) {
  if (!state.has_best()) return false;
  const std::size_t count = result.timing.samples_ns.size();
  const double best_ns = state.best_ns(count);
  if (count == 1)
    return result.median_ns > best_ns * (1 + std::max(policy.first_margin, policy.first_z * state.noise()));
  const double error = std::numbers::sqrt2 * median_error(state.noise(), count);
  return result.median_ns * (1 - policy.z * error) > best_ns;
}

}  // namespace

double RaceState::best_ns(std::size_t count) const {
  return best_.empty() ? 0 : median(std::span(best_).first(std::min(std::max<std::size_t>(count, 1), best_.size())));
}

void append(Timing& timing, const Timing& more) {
  const std::size_t before = timing.samples_ns.size(), after = before + more.samples_ns.size();
  timing.samples_ns.insert(timing.samples_ns.end(), more.samples_ns.begin(), more.samples_ns.end());
  if (!timing.flags.empty() || !more.flags.empty()) {
    timing.flags.resize(before);
    timing.flags.insert(timing.flags.end(), more.flags.begin(), more.flags.end());
    timing.flags.resize(after);
  }
  const auto weighted =
      timing.clock_mhz * static_cast<double>(before) + more.clock_mhz * static_cast<double>(more.samples_ns.size());
  timing.clock_mhz = after > 0 && (before == 0 || timing.clock_mhz > 0) ? weighted / static_cast<double>(after) : 0;
  timing.exhausted = timing.exhausted || more.exhausted;
  timing.launches += more.launches;
  timing.launched_ns += more.launched_ns;
}

tl::expected<RaceResult, Rejection> race(Session& session, Prepared& prepared, const RaceState& state,
                                         const RacePolicy& policy) {
  RaceResult result;
  for (const int rung : policy.rungs) {
    const auto taken = static_cast<int>(result.timing.samples_ns.size());
    const auto more = session.time(prepared, taken == 0 ? 1 : 0, rung - taken);
    if (!more) return tl::unexpected(more.error());
    append(result.timing, *more);
    if (result.timing.samples_ns.empty()) {
      return tl::unexpected(
          Rejection{Reason::unsupported, "samples exhausted: all that were recorded have been drawn"});
    }
    result.median_ns = median(result.timing.samples_ns);
    result.slower = is_out(result, state, policy);
    if (result.slower || more->exhausted) break;
  }
  return result;
}

bool would_lead(const RaceResult& result, const RaceState& state) {
  if (result.slower) return false;
  return !state.has_best() ||
         result.median_ns < state.best_ns(result.timing.samples_ns.size()) * (1 + 2 * state.noise());
}

}  // namespace kerntune
