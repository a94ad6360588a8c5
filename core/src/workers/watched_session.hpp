// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include <kerntune/core/device.hpp>

#include "process/status_page.hpp"

namespace kerntune {

/// A session whose every step is on the worker's status page, with the time that it may take, so that the supervisor
/// can tell a kernel that never ends from one that is merely slow: a step may take `step_s`, and beside that
/// kLaunchPatience times what its launches usually take, or took when this configuration was timed before.
class WatchedSession final : public Session {
 public:
  static constexpr double kLaunchPatience = 20;
  /// A reference on one CPU may take minutes; it is made when a seed is first verified with.
  static constexpr double kReferenceSeconds = 300;

  /// `usual_ns`: of one launch of this kernel at this size, for instance of the default; 0: the first one timed.
  WatchedSession(std::unique_ptr<Session> session, process::StatusPage& page, double step_s, double usual_ns);

  /// What is prepared from now on, and all that is done with it, is for `item`.
  void work_for(std::uint64_t item);

  tl::expected<std::unique_ptr<Prepared>, Rejection> prepare(const search::Config& config,
                                                             const std::vector<CompiledModule>& modules) override;
  tl::expected<Samples, Rejection> time(Prepared& prepared, int warmup, int launches) override;
  tl::expected<Verification, Rejection> verify(Prepared& prepared, std::uint64_t seed) override;
  std::string_view verified_by() const noexcept override { return session_->verified_by(); }
  bool context_lost() const noexcept override { return session_->context_lost(); }

 private:
  struct Owner {
    std::uint64_t item = 0;
    double launch_ns = 0;  // its own time, once known
  };
  class Step;

  std::unique_ptr<Session> session_;
  process::StatusPage& page_;
  double step_s_;
  double usual_ns_;
  std::uint64_t item_ = 0;
  std::map<const Prepared*, Owner> owners_;
  std::set<std::uint64_t> seeds_;  // verified with before
};

}  // namespace kerntune
