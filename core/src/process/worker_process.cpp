// SPDX-License-Identifier: Apache-2.0
#include "process/worker_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kerntune::process {
namespace {

constexpr std::size_t kLogBytes = 16 << 10;

[[noreturn]] void fail(std::string_view what, int error) {
  throw Error(fmt::format("start a worker process: {}: {}", what, std::strerror(error)));
}

struct SpawnSetup {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  SpawnSetup() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

/// Standard input from nowhere, output to the log, the channel at its place, everything else closed; own process group,
/// default signals.
void describe_child(SpawnSetup& setup, int channel, int log) {
  posix_spawn_file_actions_addopen(&setup.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&setup.actions, log, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&setup.actions, log, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&setup.actions, channel, kWorkerChannelFd);
  posix_spawn_file_actions_addclosefrom_np(&setup.actions, kWorkerChannelFd + 1);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&setup.attributes, &none);
  posix_spawnattr_setsigdefault(&setup.attributes, &all);
  posix_spawnattr_setpgroup(&setup.attributes, 0);
  posix_spawnattr_setflags(&setup.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

Exit exit_from(int status) {
  if (WIFSIGNALED(status)) return {true, WTERMSIG(status)};
  return {false, WEXITSTATUS(status)};
}

/// True if `pid` has ended; sets `status`.
bool try_reap(pid_t pid, int& status) {
  pid_t got = 0;
  while ((got = ::waitpid(pid, &status, WNOHANG)) < 0 && errno == EINTR) {
  }
  return got != 0;
}

}  // namespace

std::string Exit::text() const {
  if (signalled) return fmt::format("killed by signal {} ({})", code, strsignal(code));
  return fmt::format("exited with code {}", code);
}

WorkerProcess::WorkerProcess(pid_t pid, UniqueFd channel, UniqueFd log)
    : pid_(pid), channel_(std::move(channel)), log_(std::move(log)) {}

WorkerProcess WorkerProcess::spawn(std::string_view kind) {
  std::array<int, 2> sockets{}, pipes{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) fail("socketpair", errno);
  UniqueFd ours(sockets[0]), theirs(sockets[1]);
  if (::pipe2(pipes.data(), O_CLOEXEC) != 0) fail("pipe", errno);
  UniqueFd log_read(pipes[0]), log_write(pipes[1]);
  ::fcntl(log_read.get(), F_SETFL, O_NONBLOCK);

  SpawnSetup setup;
  describe_child(setup, theirs.get(), log_write.get());
  std::string name = "kerntune", flag(kWorkerFlag), kind_text(kind), parent = std::to_string(::getpid());
  std::array<char*, 5> argv{name.data(), flag.data(), kind_text.data(), parent.data(), nullptr};
  pid_t pid = -1;
  // /proc/self/exe, not a path: it still names this program when the file was replaced under a running tuner.
  const int error = posix_spawn(&pid, "/proc/self/exe", &setup.actions, &setup.attributes, argv.data(), environ);
  if (error != 0) fail("posix_spawn /proc/self/exe", error);
  return WorkerProcess(pid, std::move(ours), std::move(log_read));
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      log_(std::move(other.log_)),
      log_text_(std::move(other.log_text_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
    channel_ = std::move(other.channel_);
    log_ = std::move(other.log_);
    log_text_ = std::move(other.log_text_);
  }
  return *this;
}

WorkerProcess::~WorkerProcess() { kill(); }

bool WorkerProcess::pump() {
  drain_log();
  return channel_.pump();
}

void WorkerProcess::drain_log() noexcept {
  std::array<char, 4096> bytes;
  for (;;) {
    const ssize_t n = ::read(log_.get(), bytes.data(), bytes.size());
    if (n == 0) log_.reset();  // it closed its output: stop polling a descriptor that is always readable
    if (n <= 0) return;
    log_text_.append(bytes.data(), static_cast<std::size_t>(n));
    if (log_text_.size() > 2 * kLogBytes) log_text_.erase(0, log_text_.size() - kLogBytes);
  }
}

std::optional<Message> WorkerProcess::wait(std::chrono::steady_clock::time_point deadline) {
  using std::chrono::milliseconds;
  for (;;) {
    const bool alive = pump();
    if (auto message = next()) return message;
    if (!alive) return std::nullopt;
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left <= milliseconds(0)) return std::nullopt;
    std::array<pollfd, 2> fds{pollfd{channel_.fd(), POLLIN, 0}, pollfd{log_.get(), POLLIN, 0}};
    if (channel_.wants_write()) fds[0].events |= POLLOUT;
    ::poll(fds.data(), fds.size(), static_cast<int>(std::min(left, milliseconds(100)).count()));
    channel_.flush();
  }
}

Exit WorkerProcess::kill() noexcept {
  if (pid_ < 0) return {};
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  drain_log();
  pid_ = -1;
  return exit_from(status);
}

Exit WorkerProcess::reap() noexcept {
  if (pid_ < 0) return {};
  int status = 0;
  for (int i = 0; i < 100; ++i) {
    if (try_reap(pid_, status)) {
      ::kill(-pid_, SIGKILL);  // whatever it left behind in its group
      drain_log();
      pid_ = -1;
      return exit_from(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return kill();
}

std::string WorkerProcess::log_tail(int lines) const {
  std::string_view text = log_text_;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::size_t from = text.size();
  while (lines-- > 0 && from != 0 && from != std::string_view::npos) from = text.rfind('\n', from - 1);
  return std::string(text.substr(from == std::string_view::npos || from == 0 ? 0 : from + 1));
}

void enter_worker(pid_t supervisor) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != supervisor) std::_Exit(0);  // it ended before the signal was armed
}

}  // namespace kerntune::process
