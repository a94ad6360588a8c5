// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>
#include <tl/expected.hpp>

#include <kerntune/core/catalogue.hpp>
#include <kerntune/core/compile.hpp>
#include <kerntune/core/device.hpp>

#include "process/worker_process.hpp"

namespace kerntune {

/// One evaluation to run on the device.
struct LaneJob {
  std::uint64_t id = 0;
  search::Config config;
  std::string config_text;  // for messages
  std::vector<CompiledModule> modules;
  std::vector<std::uint64_t> seeds;  // verified with these if it would lead
  int launches = 0;                  // 0: race; else exactly this many, always verified
};

struct LaneAnswer {
  std::uint64_t id = 0;
  enum class Status { measured, slower, rejected } status = Status::rejected;
  Timing timing;
  double median_ns = 0;
  std::string verified = "no";
  Verification verification;
  Facts facts;
  std::optional<Rejection> rejection;
  std::int64_t wall_us = 0;
  std::int64_t verify_us = 0;  // of it, verification
  bool leads = false;          // verified, and the fastest of its session so far
};

/// A candidate of the final, and what came of it.
struct FinalCandidate {
  search::Config config;
  std::vector<CompiledModule> modules;
  bool keep = false;
  double estimate_ns = 0;
};
struct FinalEntry {
  std::optional<Rejection> rejection;
  std::vector<double> rounds_ns;
  double median_ns = 0, ratio = 1, ratio_low = 1, ratio_high = 1;
  bool tie = false;
  std::string verified = "no";
  Facts facts;
  Samples samples;  // of all rounds
  SampleFlags flags;
};
struct FinalOutcome {
  std::vector<FinalEntry> entries;  // as the candidates
  int rounds = 0;
  double sigma = 0;  // see Judgement
  bool unresolved = false;
  bool exhausted = false;
  std::int64_t wall_us = 0, verify_us = 0, launches = 0;
  double launched_us = 0;
  bool broken = false;   // the worker died: run it again without the rejected ones
  bool aborted = false;  // tick() said so; the worker is gone until the next session
};

struct SessionStart {
  Dims dims;
  MeasurePolicy policy;
  std::vector<CompiledModule> default_modules, reference_modules;
  std::vector<std::uint64_t> seeds;
  Samples best;             // of the best so far, if a worker before this one found it
  int runs_per_sample = 0;  // as earlier sessions of this size chose; 0: the next one chooses
};

/// The device worker as the supervisor sees it: at most one, replaced when it dies. The worker runs its jobs in order,
/// so when it dies the first unanswered job is the culprit and the others are repeated. Driven by the caller's poll
/// loop.
class DeviceLane {
 public:
  DeviceLane(KernelEntry kernel, std::string device, double evaluation_timeout_s);

  /// Starts the worker and opens device and plugin. Errors: DeviceError with the worker's words.
  const DeviceInfo& open();
  /// Makes buffers and references for one size. Requires: nothing outstanding.
  /// Returns what results will be verified by ("reference", ...).
  tl::expected<std::string, Rejection> start_session(SessionStart start);

  void submit(LaneJob job);
  std::size_t outstanding() const noexcept { return jobs_.size(); }
  /// Answers so far; replaces a worker that died or overran its time. Errors: DeviceError if it cannot be replaced.
  std::vector<LaneAnswer> collect();
  void add_poll_fds(std::vector<pollfd>& fds) const;

  /// The final, start to end; `tick` is called as rounds pass and may return false to end it (an empty outcome comes
  /// back).
  FinalOutcome run_final(const std::vector<FinalCandidate>& candidates, const std::vector<std::uint64_t>& seeds,
                         double max_seconds, const std::function<bool(int round)>& tick);

  int restarts() const noexcept { return restarts_; }
  /// As the current size's sessions chose; 0: nothing was timed yet.
  int runs_per_sample() const noexcept { return session_ ? session_->runs_per_sample : 0; }

 private:
  using Clock = std::chrono::steady_clock;
  void restart();
  std::optional<process::Message> ask(const process::Message& request, double timeout_s);
  Rejection death_notice(bool overran);
  void send_job(const LaneJob& job);
  void arm_deadline();
  LaneAnswer take_answer(const process::Message& message, bool& context_lost);
  void replace_after(bool overran, std::vector<LaneAnswer>& answers);

  KernelEntry kernel_;
  std::string device_;
  double timeout_s_;
  std::optional<process::WorkerProcess> worker_;
  DeviceInfo info_;
  std::optional<SessionStart> session_;
  std::deque<LaneJob> jobs_;  // sent, in order, unanswered
  Clock::time_point deadline_{};
  int restarts_ = 0;
};

}  // namespace kerntune
