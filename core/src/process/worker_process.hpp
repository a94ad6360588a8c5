// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "process/channel.hpp"

namespace kerntune::process {

/// argv[1] of a worker; argv[2] is its kind, argv[3] the supervisor's pid.
inline constexpr std::string_view kWorkerFlag = "--kerntune-worker";
/// The descriptor of a worker's end of its channel.
inline constexpr int kWorkerChannelFd = 3;

/// How a process ended.
struct Exit {
  bool signalled = false;
  int code = 0;  // exit code, or signal number
  /// "exited with code 0", "killed by signal 11 (Segmentation fault)"
  std::string text() const;
};

/// A worker: another run of this executable, in a process group of its own, that dies with this process. Its stdout and
/// stderr are captured; the last 16 KiB are kept. Move-only; destroying it kills the group and reaps it.
/// Requires: spawned on the main thread (the kernel's parent-death signal fires when the spawning *thread* ends).
class WorkerProcess {
 public:
  /// Errors: Error if the process cannot be made.
  static WorkerProcess spawn(std::string_view kind);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  ~WorkerProcess();

  void send(const Message& message) { channel_.send(message); }
  /// Takes in messages and log output. False once the worker has closed its channel.
  bool pump();
  std::optional<Message> next() { return channel_.next(); }
  /// Waits for one message. Nothing when the worker has gone or the deadline has passed.
  std::optional<Message> wait(std::chrono::steady_clock::time_point deadline);

  Channel& channel() noexcept { return channel_; }
  const Channel& channel() const noexcept { return channel_; }
  int log_fd() const noexcept { return log_.get(); }
  pid_t pid() const noexcept { return pid_; }

  /// Kills the process group and reaps the worker.
  Exit kill() noexcept;
  /// Reaps a worker that closed its channel; kills it if it has not ended within a second.
  Exit reap() noexcept;
  /// The last lines the worker printed, at most `lines` of them.
  std::string log_tail(int lines = 5) const;

 private:
  WorkerProcess(pid_t pid, UniqueFd channel, UniqueFd log);
  void drain_log() noexcept;

  pid_t pid_ = -1;
  Channel channel_;
  UniqueFd log_;
  std::string log_text_;
};

/// The first thing a worker does: dies with its supervisor, and leaves if that has gone already.
void enter_worker(pid_t supervisor);

}  // namespace kerntune::process
