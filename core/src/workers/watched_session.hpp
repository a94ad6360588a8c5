// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include <kerntune/core/device.hpp>

#include "process/status_page.hpp"

namespace kerntune {

/// The worker's status page with whom the worker works for and how long a step may take.
struct Watch {
  class Step;
  /// A reference on one CPU may take minutes.
  static constexpr double kReferenceSeconds = 300;

  explicit Watch(process::StatusPage& status_page) : page(status_page) {}
  /// What is prepared from now on, and all that is done with it, is for `item`.
  void work_for(std::uint64_t next);

  process::StatusPage& page;
  double step_s = 0;
  std::uint64_t item = 0;
};

/// On the page while it lives; afterwards the worker is between two steps, which has a limit, too (a plugin's teardown
/// runs there).
class Watch::Step {
 public:
  Step(Watch& watch, std::uint64_t item, process::StatusPage::Phase phase, double extra_s);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  Watch& watch_;
  std::uint64_t item_;
};

/// A session whose every step is on the worker's status page, with the time that it may take, so that the supervisor
/// can tell a kernel that never ends from one that is merely slow: a step may take `step_s`, and beside that
/// kLaunchPatience times what its launches usually take, or took when this configuration was timed before.
class WatchedSession final : public Session {
 public:
  static constexpr double kLaunchPatience = 20;

  /// `usual_ns`: of one launch of this kernel at this size, for instance of the default; 0: the first one timed.
  WatchedSession(std::unique_ptr<Session> session, Watch& watch, double usual_ns);

  tl::expected<std::unique_ptr<Prepared>, Rejection> prepare(const search::Config& config,
                                                             const std::vector<CompiledModule>& modules) override;
  tl::expected<Timing, Rejection> time(Prepared& prepared, int warmup, int samples) override;
  tl::expected<Verification, Rejection> verify(Prepared& prepared, std::uint64_t seed) override;
  CounterProfile profile(const std::vector<Prepared*>& prepared, const CounterRequest& request) override;
  void end_counting() noexcept override { session_->end_counting(); }
  int runs_per_sample() const noexcept override { return session_->runs_per_sample(); }
  std::string_view verified_by() const noexcept override { return session_->verified_by(); }
  bool context_lost() const noexcept override { return session_->context_lost(); }

 private:
  struct Owner {
    std::uint64_t item = 0;
    double launch_ns = 0;  // its own time, once known
  };

  std::unique_ptr<Session> session_;
  Watch& watch_;
  double usual_ns_;
  std::map<const Prepared*, Owner> owners_;
  std::set<std::uint64_t> seeds_;  // verified with before
};

}  // namespace kerntune
