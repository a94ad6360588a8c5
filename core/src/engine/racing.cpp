// SPDX-License-Identifier: Apache-2.0
#include "engine/racing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/statistics.hpp"

namespace kerntune {
namespace {

bool is_out(const Samples& samples, double median_ns, const RaceState& state, const RacePolicy& policy) {
  if (state.best_ns <= 0) return false;
  if (samples.size() == 1 && median_ns > policy.hopeless * state.best_ns) return true;
  const double standard_error = 1.253 * state.noise() / std::sqrt(static_cast<double>(samples.size()));
  return median_ns * (1 - policy.z * standard_error) > state.best_ns;
}

}  // namespace

void RaceState::learn(const Samples& samples) {
  constexpr double kWeight = 0.2;
  if (samples.size() < 7) return;
  noise_ = std::max(floor_, (1 - kWeight) * noise_ + kWeight * relative_noise(samples));
}

tl::expected<RaceResult, Rejection> race(Session& session, Prepared& prepared, const RaceState& state,
                                         const RacePolicy& policy) {
  RaceResult result;
  for (const int rung : policy.rungs) {
    const int launches = rung - static_cast<int>(result.samples.size());
    auto more = session.time(prepared, result.samples.empty() ? 1 : 0, launches);
    if (!more) return tl::unexpected(more.error());
    result.samples.insert(result.samples.end(), more->begin(), more->end());
    result.median_ns = median(result.samples);
    result.slower = is_out(result.samples, result.median_ns, state, policy);
    const double spent = std::accumulate(result.samples.begin(), result.samples.end(), 0.0);
    if (result.slower || (result.samples.size() >= 3 && spent > policy.enough_ns)) break;
  }
  return result;
}

}  // namespace kerntune
