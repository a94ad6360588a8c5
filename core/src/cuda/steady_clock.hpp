// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

namespace kerntune::cuda {

/// Learns at which clock the multiprocessors usually run under this session's load, and tells a group of samples that
/// was taken clearly below it. The nominal clock would not do: many boards never hold it.
class SteadyClock {
 public:
  /// True if `mhz` is clearly below the steady clock; false while too little is known, and for 0 (unknown).
  bool is_throttled(double mhz) const {
    constexpr double kClearly = 0.97;
    return mhz > 0 && groups_.size() >= kKnown && mhz < kClearly * median();
  }
  void learn(double mhz) {
    if (mhz <= 0) return;
    groups_.push_back(mhz);
    if (groups_.size() > kWindow) groups_.pop_front();
  }
  /// 0: nothing is known yet.
  double median() const {
    if (groups_.empty()) return 0;
    std::vector<double> sorted(groups_.begin(), groups_.end());
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }

 private:
  static constexpr std::size_t kKnown = 5, kWindow = 63;
  std::deque<double> groups_;
};

}  // namespace kerntune::cuda
