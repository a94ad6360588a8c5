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

#include "engine/examiner.hpp"
#include "process/worker_process.hpp"

namespace kerntune {

/// One evaluation to run on the device.
struct LaneJob {
  std::uint64_t id = 0;
  search::Config config;
  std::string config_text;  // for messages
  std::vector<CompiledModule> modules;
  int launches = 0;                 // 0: race; else exactly this many, always verified
  bool full = false;                // verified fully, whether it leads or not
  std::vector<EdgeCode> edge_code;  // for that
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
  std::vector<EdgeCode> edge_code;
  bool keep = false;
  double estimate_ns = 0;
};
struct FinalEntry {
  std::optional<Rejection> rejection;
  std::vector<double> rounds_ns;
  double median_ns = 0, ratio = 1, ratio_low = 1, ratio_high = 1;
  bool tie = false;
  std::string verified = "no";
  Verification verification;
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
  bool broken = false;   // the worker was replaced: run it again without the rejected ones
  bool aborted = false;  // tick() said so; the worker is gone until the next session
  bool ended = false;    // nothing more will come
};

/// A configuration whose counters are wanted. It should have been verified: what misbehaves here is blamed by itself.
struct ProfileCandidate {
  search::Config config;
  std::vector<CompiledModule> modules;
};
struct ProfileOutcome {
  CounterAccess access;  // `failed` with the reason if the worker did not survive it
  struct Entry {
    std::optional<Rejection> rejection;
    Counters counters;  // empty if there are none
  };
  std::vector<Entry> entries;  // as the candidates
  std::int64_t wall_us = 0;
};

struct SessionStart {
  Dims dims;
  MeasurePolicy policy;
  std::vector<CompiledModule> default_modules, reference_modules;
  std::vector<std::uint64_t> seeds;
  Samples best;             // of the best so far, if a worker before this one found it
  int runs_per_sample = 0;  // as earlier sessions of this size chose; 0: the next one chooses
  double usual_ns = 0;      // of one launch, for the time limits; 0: the first one timed
};

/// What a device worker may take. docs/failures.md says how the limit on time follows a kernel's own pace.
struct LaneLimits {
  double step_s = 30;  // for preparing, a group of launches or a verification, beside what launches usually take
  std::uint64_t memory_bytes = 0;  // of private host memory; 0: three quarters of the machine's
};

/// The device worker as the supervisor sees it: at most one, replaced when it dies, hangs or loses its context. Driven
/// by the caller's poll loop.
///
/// The worker runs its jobs in order, so the first unanswered one was under way when it died, and the others are
/// repeated. That one is blamed at once if nothing else ran in that worker; if something did (which may have damaged
/// the process), or the worker was killed from outside, it is run again first, alone, and blamed only if it fails
/// again. In a final, where all run in one process, the others are tried with it, too. What the device itself did wrong
/// is nobody's fault: the job is repeated, and a device that goes on failing is given up with DeviceError.
class DeviceLane {
 public:
  DeviceLane(KernelEntry kernel, std::string device, LaneLimits limits);

  /// Starts the worker and opens device and plugin. Errors: DeviceError with the worker's words.
  const DeviceInfo& open();
  /// Makes buffers and references for one size. Requires: nothing outstanding.
  /// Returns what results will be verified by ("reference", ...). Errors: DeviceError if the device is lost.
  tl::expected<std::string, Rejection> start_session(SessionStart start);

  void submit(LaneJob job);
  std::size_t outstanding() const noexcept { return jobs_.size(); }
  /// Answers so far; replaces a worker that died or overran its time. Errors: DeviceError if the device is lost; all
  /// answers were given before that.
  std::vector<LaneAnswer> collect();
  void add_poll_fds(std::vector<pollfd>& fds) const;
  /// One job, start to end. Requires: nothing outstanding. Errors: DeviceError if the device is lost.
  LaneAnswer evaluate(LaneJob job);

  /// The final, start to end; `tick` is called often, with the number of rounds so far, and may return false to end it
  /// (an empty outcome comes back). Errors: DeviceError if the device is lost.
  FinalOutcome run_final(const std::vector<FinalCandidate>& candidates, double max_seconds,
                         const std::function<bool(int round)>& tick);

  /// Hardware counters of some configurations, in one session of the profiler. What goes wrong costs the counters, not
  /// the run. Requires: nothing outstanding. Errors: UsageError for a metric or set that there is not; DeviceError if
  /// the device is lost.
  ProfileOutcome profile(const std::vector<ProfileCandidate>& candidates, const CounterRequest& request);

  /// Who else used the device when the session began or when a final ended; empty: nobody, as far as is known.
  const std::string& shared_with() const noexcept { return shared_with_; }
  /// How the GPU was when the session began, when look() was called and when finals ended; empty if nothing is known.
  const GpuSnapshots& gpu_snapshots() const noexcept { return gpu_snapshots_; }
  /// Adds a snapshot by that name. Does nothing on other devices than GPUs, and while something is outstanding.
  void look(const std::string& at);
  int restarts() const noexcept { return restarts_; }
  double slowest_restart_s() const noexcept { return slowest_restart_s_; }
  /// As the current size's sessions chose; 0: nothing was timed yet.
  int runs_per_sample() const noexcept { return session_ ? session_->runs_per_sample : 0; }

 private:
  using Clock = std::chrono::steady_clock;
  /// Of the device, in a row: more than for an uncorrectable memory error, after which a new process has other pages.
  static constexpr int kMostFailures = 3;
  static constexpr int kPollMs = 100;
  struct Job {
    LaneJob job;
    bool sent = false;
    int repeats = 0;
  };
  /// Why a worker cannot go on.
  struct Notice {
    Rejection rejection;
    bool from_outside = false;  // it was killed by somebody
  };
  /// A final, and with whom its process ended if it did.
  struct FinalPlay {
    struct End {
      std::size_t item = 0;  // of the candidates
      Rejection rejection;
    };
    FinalOutcome outcome;
    std::optional<End> end;
  };

  void require_device() const;
  tl::expected<std::string, Rejection> begin_session(const std::string& at);
  void note_gpu(const std::string& at, const std::optional<GpuState>& state);
  tl::expected<process::Message, Rejection> ask(const process::Message& request, double timeout_s);
  tl::expected<process::Message, Rejection> ask_twice(const process::Message& request, double timeout_s,
                                                      const std::function<void()>& begin);
  /// A message, or why there will be none; neither if nothing has happened yet.
  std::optional<process::Message> hear(bool busy, std::optional<Notice>& notice);
  void restart(Clock::time_point since);
  bool begin_again(std::string& why_not);
  void give_up(const std::string& why);

  Notice death_notice();
  Notice overdue_notice();
  Notice protocol_notice(const std::string& what);
  void begin_watch();
  bool overdue() const;
  void notice_pause();

  void send_unsent();
  void send_job(const LaneJob& job);
  /// True if the worker must be replaced.
  bool take(LaneAnswer answer, bool context_lost, std::vector<LaneAnswer>& answers);
  bool repeat_front();
  void blame(const Notice& notice, std::vector<LaneAnswer>& answers);
  void take_final(const process::Message& message, FinalOutcome& outcome);
  FinalPlay play_final(const std::vector<FinalCandidate>& candidates, double max_seconds,
                       const std::function<bool(int round)>& tick);
  FinalPlay try_alone(const std::vector<FinalCandidate>& candidates, const std::function<bool(int round)>& tick);
  void blame_finalist(const FinalPlay::End& end, const std::vector<FinalCandidate>& candidates,
                      const std::function<bool(int round)>& tick, FinalOutcome& outcome);

  KernelEntry kernel_;
  std::string device_;
  LaneLimits limits_;
  std::optional<process::WorkerProcess> worker_;
  DeviceInfo info_;
  std::optional<SessionStart> session_;
  std::string shared_with_;
  GpuSnapshots gpu_snapshots_;
  std::deque<Job> jobs_;             // in order, unanswered
  int answered_ = 0;                 // jobs by this worker
  int device_failures_ = 0;          // in a row
  std::optional<std::string> lost_;  // why there is no device any more
  Clock::time_point last_news_{};    // when the worker last sent or got something
  Clock::time_point last_look_{};
  Clock::duration paused_{};  // that nobody looked, since the last news
  int restarts_ = 0;
  double slowest_restart_s_ = 0;
};

}  // namespace kerntune
