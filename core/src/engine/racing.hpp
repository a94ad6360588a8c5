// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tl/expected.hpp>

#include <kerntune/core/device.hpp>

#include "engine/statistics.hpp"

namespace kerntune {

/// How long a candidate is screened against the best so far. A race on growing rungs: after each, the candidate is out
/// if even an optimistic view of its median is slower than the best at the same rung. Few samples, for screening only
/// chooses who plays the final, which takes samples of its own.
struct RacePolicy {
  std::vector<int> rungs{1, 3};  // samples in all after each rung
  double z = 4;  // optimistic by z standard errors of the two medians' difference: the best is the luckiest
  double first_margin = 0.05;  // one sample decides only beyond this much ...
  double first_z = 5;          // ... and this many sigma: a single one may be an outlier
  double noise_floor = 0.003;  // relative sigma assumed until more is known, and at least
};

/// What a session has learnt so far: the verified best, and how noisy samples are here.
class RaceState {
 public:
  explicit RaceState(const RacePolicy& policy) : noise_(policy.noise_floor) {}

  bool has_best() const noexcept { return !best_.empty(); }
  /// Median of the best's first `count` samples, or of all if it has fewer. First samples are unlike later ones (clocks
  /// rise, caches fill), for every configuration in the same way: so firsts are compared with firsts. 0: no best yet.
  double best_ns(std::size_t count) const;
  const Samples& best() const noexcept { return best_; }
  void lead(Samples samples) { best_ = std::move(samples); }

  double noise() const { return noise_.sigma(); }
  /// Learns the noise from a candidate that ran the whole course.
  void learn(const Samples& samples) { noise_.learn(samples); }

 private:
  Samples best_;
  NoisePool noise_;
};

struct RaceResult {
  Timing timing;  // of all rungs
  double median_ns = 0;
  bool slower = false;  // out of the race: median_ns is only known to be above the best
};

/// Errors: the Rejection of the launch that failed.
tl::expected<RaceResult, Rejection> race(Session& session, Prepared& prepared, const RaceState& state,
                                         const RacePolicy& policy);

/// True if a candidate may be the new best, as far as screening can tell: it must be verified before it is.
bool would_lead(const RaceResult& result, const RaceState& state);

/// Adds what a later call of Session::time gave.
void append(Timing& timing, const Timing& more);

}  // namespace kerntune
