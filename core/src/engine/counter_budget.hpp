// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <kerntune/core/tuner.hpp>

namespace kerntune {

/// What a run may spend on counters: nothing, whatever they cost, or at most a tenth of its time so far.
class CounterBudget {
 public:
  explicit CounterBudget(CounterUse use) : use_(use) {}

  bool affords() const {
    if (use_ != CounterUse::automatic) return use_ == CounterUse::on;
    const double elapsed_s = std::chrono::duration<double>(Clock::now() - begun_).count();
    return !refused_ && spent_s_ + next_s_ <= kShare * elapsed_s;
  }
  /// After a session that took so long; `refused`: there are no counters, and asking again would not help.
  void spend(double seconds, bool refused) {
    spent_s_ += seconds;
    next_s_ = kLaterSeconds;
    refused_ = refused;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kShare = 0.1;
  static constexpr double kFirstSeconds = 0.5, kLaterSeconds = 0.1;  // of a session, as measured on an H200

  CounterUse use_;
  Clock::time_point begun_ = Clock::now();
  double spent_s_ = 0, next_s_ = kFirstSeconds;
  bool refused_ = false;
};

}  // namespace kerntune
