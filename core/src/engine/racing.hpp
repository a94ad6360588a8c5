// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tl/expected.hpp>

#include <kerntune/core/device.hpp>

namespace kerntune {

/// How long a candidate is measured against the best so far. A race on growing rungs: after each, the candidate is out
/// if even an optimistic view of its median is slower than the best.
struct RacePolicy {
  std::vector<int> rungs{1, 3, 7, 15, 31};  // launches in all after each rung
  double z = 2;                             // optimistic by z standard errors of the median (1.253 sigma / sqrt(n))
  double hopeless = 3;                      // one launch this many times slower than the best is enough
  double noise_floor = 0.003;               // relative sigma assumed until more is known, and at least
  double enough_ns = 60e6;                  // stop growing once this much device time is spent (at least 3 launches)
};

/// What a session has learnt so far: the verified best and how noisy launches are here.
class RaceState {
 public:
  explicit RaceState(const RacePolicy& policy) : noise_(policy.noise_floor), floor_(policy.noise_floor) {}
  double best_ns = 0;  // 0: none yet
  double noise() const noexcept { return noise_; }
  /// Learns the noise of this kernel on this device: a slow average over candidates that ran the whole course.
  void learn(const Samples& samples);

 private:
  double noise_;
  double floor_;
};

struct RaceResult {
  Samples samples;
  double median_ns = 0;
  bool slower = false;  // out of the race: median_ns is only known to be above the best
};

/// Errors: the Rejection of the launch that failed.
tl::expected<RaceResult, Rejection> race(Session& session, Prepared& prepared, const RaceState& state,
                                         const RacePolicy& policy);

}  // namespace kerntune
