// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>

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
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    errno = error;
    fail("posix_spawn");
  }
  return child;
}

/// Reads until the other end closes. False if the time is up first.
bool read_all(int descriptor, Clock::time_point deadline, std::string& output) {
  char buffer[4096];
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left, 1'000'000)));
    if (ready < 0 && errno != EINTR) fail("wait for it");
    if (ready <= 0) continue;
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got == 0) return true;
    if (got > 0) output.append(buffer, static_cast<std::size_t>(got));
  }
}

int reap(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
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
  Pipe::close_end(pipe.write_end);
  const auto deadline = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(timeout_s * 1000));
  ChildResult result;
  bool finished = false;
  try {
    finished = read_all(pipe.read_end, deadline, result.output);
  } catch (...) {
    kill(child, SIGKILL);
    reap(child);
    throw;
  }
  if (!finished) kill(child, SIGKILL);
  const int status = reap(child);
  result.ending = finished ? ending_of(status) : fmt::format("did not end within {} s and was killed", timeout_s);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return result;
}

}  // namespace kerntune::app
