// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/orphans.hpp>

extern char** environ;

namespace kerntune::app {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* doing) {
  throw Error(fmt::format("start a process of kerntune: {}: {}", doing, std::strerror(errno)));
}

/// A pipe whose ends no other process inherits, except through a file action.
struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("make a pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  static void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

pid_t spawn(const std::vector<std::string>& arguments, const Pipe& pipe) {
  std::vector<std::string> words{"kerntune"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // dup2 onto itself would leave close-on-exec set, so a write end that already is the wanted number is moved away by
  // spawn.
  posix_spawn_file_actions_adddup2(&actions, pipe.write_end, kReportDescriptor);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);  // a terminal's is not for it
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);  // its own, so that what it starts can be ended with it
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    errno = error;
    fail("posix_spawn");
  }
  return child;
}

/// While one is there, whoever ends this process ends the child's group, too, which a terminal's Ctrl-C does not reach.
class EndsWithUs {
 public:
  explicit EndsWithUs(pid_t child) {
    group_ = child;
    struct sigaction action{};
    action.sa_handler = [](int number) {
      kill(-group_, SIGKILL);
      std::signal(number, SIG_DFL);
      std::raise(number);
    };
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
  }
  ~EndsWithUs() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  EndsWithUs(const EndsWithUs&) = delete;
  EndsWithUs& operator=(const EndsWithUs&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
  static inline volatile pid_t group_ = 0;
  std::array<struct sigaction, kSignals.size()> before_{};
};

bool has_ended(pid_t child) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

/// Reads until the other end closes, or the child has ended and all that it wrote was read: what it started may hold
/// the other end open. False if the time is up first.
bool read_all(pid_t child, int descriptor, Clock::time_point deadline, std::string& output) {
  constexpr int kLookEveryMs = 50;
  char buffer[4096];
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    const bool ended = has_ended(child);  // first: what it wrote before its end is then all there
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = poll(&waiting, 1, ended ? 0 : static_cast<int>(std::min<std::int64_t>(left, kLookEveryMs)));
    if (ready < 0 && errno != EINTR) fail("wait for it");
    if (ready == 0 && ended) return true;
    if (ready <= 0) continue;
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got == 0) return true;
    if (got > 0) output.append(buffer, static_cast<std::size_t>(got));
  }
}

/// Takes the child's status and ends what it left behind.
int reap(pid_t child) {
  kill(-child, SIGKILL);
  const std::uint64_t start = start_of(child);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end_orphans(start);
  return status;
}

/// Until it ends by itself: closing its end of the pipe is not the last thing that it does.
bool wait_for_end(pid_t child, Clock::time_point deadline) {
  while (!has_ended(child)) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

std::string ending_of(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) <= 4) return {};
  return fmt::format("exited with code {}", WEXITSTATUS(status));
}

}  // namespace

ChildResult run_self(const std::vector<std::string>& arguments, double timeout_s) {
  Pipe pipe;
  const pid_t child = spawn(arguments, pipe);
  const EndsWithUs tie(child);
  Pipe::close_end(pipe.write_end);
  const auto deadline = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(timeout_s * 1000));
  ChildResult result;
  bool finished = false;
  try {
    finished = read_all(child, pipe.read_end, deadline, result.output) && wait_for_end(child, deadline);
  } catch (...) {
    reap(child);
    throw;
  }
  const int status = reap(child);
  result.ending = finished ? ending_of(status) : fmt::format("did not end within {} s and was killed", timeout_s);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return result;
}

}  // namespace kerntune::app
