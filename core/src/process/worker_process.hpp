// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include "process/channel.hpp"
#include "process/status_page.hpp"

namespace kerntune::process {

/// argv[1] of a worker; argv[2] is its kind, argv[3] the supervisor's pid.
inline constexpr std::string_view kWorkerFlag = "--kerntune-worker";
/// The descriptors of a worker's end of its channel and of its status page: far from where a stray write or close by a
/// plugin would hit, below the lowest limit on descriptors in use (256).
inline constexpr int kWorkerChannelFd = 200;
inline constexpr int kWorkerStatusFd = 201;

/// How a process ended.
struct Exit {
  bool signalled = false;
  int code = 0;                                                   // exit code, or signal number
  enum class By { itself, us, unknown, nobody } by = By::itself;  // unknown: its status was lost; nobody: it cannot end
  std::uint64_t peak_bytes = 0;                                   // of memory in use at once; 0: not known
  /// "exited with code 0", "was killed by signal 11 (Segmentation fault)", ...: goes after the name of the process.
  std::string text() const;
  /// True for a SIGKILL that was not ours: the kernel's out-of-memory killer, or an operator.
  bool killed_from_outside() const noexcept;
};

/// A worker: another run of this executable, in a process group of its own, that dies with this process. Its stdout and
/// stderr are captured; the last 16 KiB are kept. Move-only; destroying it kills the group and reaps it.
/// Requires: spawned on the main thread (the kernel's parent-death signal fires when the spawning *thread* ends).
class WorkerProcess {
 public:
  /// Errors: Error if the process cannot be made.
  static WorkerProcess spawn(std::string_view kind);
  WorkerProcess(WorkerProcess&& other) noexcept = default;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  ~WorkerProcess();

  void send(const Message& message) { channel_.send(message); }
  /// Takes in messages and log output. False once the worker has ended or closed its channel, and everything that it
  /// sent was taken in.
  bool pump();
  std::optional<Message> next() { return channel_.next(); }
  /// Waits for one message. Nothing when the worker has gone or the deadline has passed.
  std::optional<Message> wait(std::chrono::steady_clock::time_point deadline);

  Channel& channel() noexcept { return channel_; }
  const Channel& channel() const noexcept { return channel_; }
  int log_fd() const noexcept { return log_.get(); }
  pid_t pid() const noexcept { return pid_.get(); }
  /// What it is at, or was at when it ended.
  std::optional<StatusPage::Step> step() const noexcept { return status_.step(); }

  /// Kills the process group and reaps the worker. One that the kernel cannot end (it hangs in a driver) is given up
  /// after some seconds. Called again, it says the same.
  Exit kill() noexcept;
  /// Reaps a worker that closed its channel; kills it if it has not ended within a second.
  Exit reap() noexcept;
  /// The last lines that the worker printed since it got its last message, at most `lines` of them and 2 KiB.
  std::string log_tail(int lines = 5) const;
  /// `message`, followed by these lines if there are any.
  std::string with_log(std::string message) const;

 private:
  /// A pid that moves.
  class Pid {
   public:
    explicit Pid(pid_t pid) noexcept : pid_(pid) {}
    Pid(Pid&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
    Pid& operator=(Pid&& other) noexcept {
      pid_ = std::exchange(other.pid_, -1);
      return *this;
    }
    ~Pid() = default;
    pid_t get() const noexcept { return pid_; }

   private:
    pid_t pid_;
  };

  WorkerProcess(pid_t pid, UniqueFd channel, UniqueFd log, StatusPage status);
  void drain_log() noexcept;
  bool has_ended() const noexcept;
  bool wait_for_end(std::chrono::milliseconds patience) const noexcept;
  Exit bury(Exit::By by) noexcept;

  Pid pid_;
  Channel channel_;
  UniqueFd log_;
  StatusPage status_;
  std::string log_text_;
  std::optional<Exit> exit_;  // once it has been reaped
};

/// The first thing a worker does: ties its life to the supervisor's, and leaves if that has gone already; keeps its
/// channel from what plugins do; prints without delay; writes no core file; is the first to go when memory runs out.
void enter_worker(pid_t supervisor);

/// Limits this process's private writable memory to what it had at the first call and `bytes` more. An address space
/// limit would not do: drivers and sanitizers reserve tens of gigabytes that they never touch.
void limit_memory_growth(std::uint64_t bytes);

/// Memory of the machine, or of the container that this process is in, if that may take less.
std::uint64_t machine_memory_bytes();

}  // namespace kerntune::process
