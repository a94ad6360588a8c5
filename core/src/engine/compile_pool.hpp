// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>
#include <tl/expected.hpp>

#include <kerntune/core/compile.hpp>

#include "process/worker_process.hpp"

namespace kerntune {

/// What one compilation may take.
struct CompileLimits {
  double timeout_s = CompileJob{}.timeout_s;
  std::uint64_t memory_bytes = CompileJob{}.memory_limit_bytes;
};

/// Compile workers and the cubin cache in front of them. Processes, not threads: NVRTC takes a lock, and may crash,
/// hang or eat memory. Jobs with equal keys are compiled once. A job whose compiler crashed or ran out of memory is
/// tried once more, in a new process, before it is blamed. Driven by the caller's poll loop; not thread-safe.
class CompilePool {
 public:
  /// Starts workers as jobs come, at most `processes` at a time.
  CompilePool(int processes, std::string cache_folder, CompileLimits limits = {});

  /// "13.0". Starts the first worker if none runs. Errors: DeviceError if NVRTC cannot be loaded.
  const std::string& nvrtc_version();
  /// Errors: DeviceError if the compiler does not know the architecture, with what to do.
  void require_arch(const std::string& arch);

  void submit(std::uint64_t id, const CompileJob& job);

  using Outcome = tl::expected<CompiledModule, Rejection>;
  struct Finished {
    std::uint64_t id = 0;
    Outcome outcome;
  };
  /// Finished jobs so far; also hands out queued work and ends workers past their time.
  std::vector<Finished> collect();
  /// Drops jobs that no worker has begun.
  void cancel_queued();

  void add_poll_fds(std::vector<pollfd>& fds) const;
  int running() const noexcept;
  int queued() const noexcept { return static_cast<int>(queue_.size()); }
  bool idle() const noexcept { return running() == 0 && queue_.empty() && finished_.empty(); }
  const std::string& cache_warning() const noexcept { return cache_.warning(); }

  /// Compiles these and waits. Requires: idle().
  std::vector<Outcome> compile_all(const std::vector<CompileJob>& jobs);

 private:
  struct Task {
    std::string key;
    CompileJob job;
    bool repeated = false;
  };
  using Clock = std::chrono::steady_clock;
  struct Worker {
    process::WorkerProcess process;
    std::optional<Task> task;
    Clock::time_point begun;
    Clock::time_point deadline;
    int done = 0;  // jobs
  };

  static std::unique_ptr<Worker> new_worker();
  void hello();
  void finish(const std::string& key, const Outcome& outcome);
  void assign();
  bool add_worker();
  void start(Worker& worker, Task task);
  void allow_for_pause();
  /// False if the worker is gone and must be dropped.
  bool serve(Worker& worker);
  /// False if the worker has given all it can.
  bool take_answer(Worker& worker, const process::Message& message);
  void fail(Worker& worker, Rejection rejection);
  void crashed(Worker& worker, const std::string& what);
  void timed_out(Worker& worker);

  std::size_t max_workers_;
  CubinCache cache_;
  CompileLimits limits_;
  Clock::time_point last_look_{};
  std::string version_;
  std::vector<int> architectures_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::deque<Task> queue_;
  std::map<std::string, std::vector<std::uint64_t>> waiting_;  // key -> ids
  std::vector<Finished> finished_;
};

}  // namespace kerntune
