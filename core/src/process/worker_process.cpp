// SPDX-License-Identifier: Apache-2.0
#include "process/worker_process.hpp"

#include <algorithm>
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
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kerntune/core/orphans.hpp>

#include "process/printable.hpp"

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

/// Standard input from nowhere, output to the log, channel and status page at their places; own process group, default
/// signals. Descriptors below the channel are closed by the worker itself.
void describe_child(SpawnSetup& setup, int channel, int status, int log) {
  posix_spawn_file_actions_adddup2(&setup.actions, channel, kWorkerChannelFd);
  posix_spawn_file_actions_adddup2(&setup.actions, status, kWorkerStatusFd);
  posix_spawn_file_actions_adddup2(&setup.actions, log, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&setup.actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&setup.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&setup.actions, kWorkerStatusFd + 1);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&setup.attributes, &none);
  posix_spawnattr_setsigdefault(&setup.attributes, &all);
  posix_spawnattr_setpgroup(&setup.attributes, 0);
  posix_spawnattr_setflags(&setup.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/// Out of the way of standard streams (where a program that was started without them would get its first descriptors)
/// and of the places that a child's descriptors are copied to, one after the other.
UniqueFd moved_up(UniqueFd fd) {
  constexpr int kOutOfTheWay = kWorkerStatusFd + 1;
  const int moved = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, kOutOfTheWay);
  if (moved < 0 && (errno == EINVAL || errno == EMFILE))
    throw Error(
        fmt::format("start a worker process: it needs descriptors up to {}, more than this process may have; raise "
                    "'ulimit -n' to 256",
                    kOutOfTheWay + 2));
  if (moved < 0) fail("move a descriptor", errno);
  return UniqueFd(moved);
}

}  // namespace

std::string Exit::text() const {
  switch (by) {
    case By::unknown:
      return "ended, nobody knows how: its exit status was taken by something else";
    case By::nobody:
      return "cannot be ended: it hangs in the kernel or in a driver, and was given up";
    case By::us:
      return "did not end by itself and was killed";
    case By::itself:
      break;
  }
  if (!signalled) return fmt::format("exited with code {}", code);
  std::string text = fmt::format("was killed by signal {} ({})", code, strsignal(code));
  if (killed_from_outside()) text += ", by the kernel because memory ran out or by somebody on this machine";
  return text;
}

bool Exit::killed_from_outside() const noexcept { return by == By::itself && signalled && code == SIGKILL; }

WorkerProcess::WorkerProcess(pid_t pid, UniqueFd channel, UniqueFd log, StatusPage status)
    : pid_(pid), channel_(std::move(channel)), log_(std::move(log)), status_(std::move(status)) {}

WorkerProcess WorkerProcess::spawn(std::string_view kind) {
  std::array<int, 2> sockets{}, pipes{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) fail("socketpair", errno);
  UniqueFd ours(sockets[0]), theirs(sockets[1]);
  if (::pipe2(pipes.data(), O_CLOEXEC) != 0) fail("pipe", errno);
  UniqueFd log_read(pipes[0]), log_write(pipes[1]);
  ::fcntl(log_read.get(), F_SETFL, O_NONBLOCK);
  StatusPage status = StatusPage::create();
  theirs = moved_up(std::move(theirs));
  log_write = moved_up(std::move(log_write));
  const UniqueFd page = moved_up(UniqueFd(::fcntl(status.fd(), F_DUPFD_CLOEXEC, 0)));

  SpawnSetup setup;
  describe_child(setup, theirs.get(), page.get(), log_write.get());
  std::string name = "kerntune", flag(kWorkerFlag), kind_text(kind), parent = std::to_string(::getpid());
  std::array<char*, 5> argv{name.data(), flag.data(), kind_text.data(), parent.data(), nullptr};
  pid_t pid = -1;
  // /proc/self/exe, not a path: it still names this program when the file was replaced under a running tuner.
  const int error = posix_spawn(&pid, "/proc/self/exe", &setup.actions, &setup.attributes, argv.data(), environ);
  if (error != 0) fail("posix_spawn /proc/self/exe", error);
  claim_child(pid);
  return WorkerProcess(pid, std::move(ours), std::move(log_read), std::move(status));
}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  if (this == &other) return *this;
  kill();
  pid_ = std::move(other.pid_);
  channel_ = std::move(other.channel_);
  log_ = std::move(other.log_);
  status_ = std::move(other.status_);
  log_text_ = std::move(other.log_text_);
  exit_ = other.exit_;
  return *this;
}

WorkerProcess::~WorkerProcess() { kill(); }

bool WorkerProcess::pump() {
  drain_log();
  const bool ended = has_ended();  // first: what it sent before its end is then all there
  switch (channel_.pump()) {
    case Channel::Pumped::some:
      return true;
    case Channel::Pumped::closed:
      return false;
    case Channel::Pumped::all:
      break;
  }
  return !ended;  // a child that it left behind may hold the channel open
}

void WorkerProcess::drain_log() noexcept {
  constexpr int kMostReads = 32;  // more than a pipe holds: one who never stops printing is not read for ever
  std::array<char, 4096> bytes;
  for (int reads = 0; reads < kMostReads; ++reads) {
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

/// The process stays a zombie, so that its pid and group still are its own.
bool WorkerProcess::has_ended() const noexcept {
  if (pid() < 0) return true;
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid()), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno != EINTR) return true;  // not ours any more: somebody took its status
  }
  return info.si_pid == pid();
}

bool WorkerProcess::wait_for_end(std::chrono::milliseconds patience) const noexcept {
  using std::chrono::microseconds;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (microseconds pause(200); !has_ended(); pause = std::min(2 * pause, microseconds(10'000))) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

/// Takes the status of a process that has ended, and whatever it left behind with it.
Exit WorkerProcess::bury(Exit::By by) noexcept {
  ::kill(-pid(), SIGKILL);
  const std::uint64_t start = start_of(pid());
  Exit exit;
  int status = 0;
  rusage usage{};
  pid_t got = 0;
  while ((got = ::wait4(pid(), &status, 0, &usage)) < 0 && errno == EINTR) {
  }
  if (got != pid()) {
    exit.by = Exit::By::unknown;
  } else {
    exit.signalled = WIFSIGNALED(status);
    exit.code = exit.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    exit.by = exit.signalled && exit.code == SIGKILL ? by : Exit::By::itself;  // it may have been first
    exit.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
  }
  drain_log();
  disclaim_child(pid());
  end_orphans(start);
  pid_ = Pid(-1);
  return exit;
}

Exit WorkerProcess::kill() noexcept {
  constexpr std::chrono::seconds kPatience(10);
  if (exit_) return *exit_;
  if (pid() < 0) return {};  // moved from
  if (has_ended()) return *(exit_ = bury(Exit::By::itself));
  ::kill(-pid(), SIGKILL);
  ::kill(pid(), SIGKILL);  // should it have left its group
  if (wait_for_end(kPatience)) {
    exit_ = bury(Exit::By::us);
  } else {
    exit_ = Exit{};
    exit_->by = Exit::By::nobody;
    pid_ = Pid(-1);
  }
  return *exit_;
}

Exit WorkerProcess::reap() noexcept {
  constexpr std::chrono::seconds kPatience(1);
  if (exit_) return *exit_;
  if (pid() < 0) return {};
  if (!wait_for_end(kPatience)) return kill();
  exit_ = bury(Exit::By::itself);
  return *exit_;
}

std::string WorkerProcess::log_tail(int lines) const {
  constexpr std::size_t kMostBytes = 2048;
  std::string_view text = log_text_;
  if (const auto mark = text.rfind(kLogMark); mark != std::string_view::npos) text.remove_prefix(mark + 1);
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text.size() > kMostBytes) text.remove_prefix(text.size() - kMostBytes);
  std::size_t from = text.size();
  while (lines-- > 0 && from != 0 && from != std::string_view::npos) from = text.rfind('\n', from - 1);
  if (from != std::string_view::npos && from != 0) text.remove_prefix(from + 1);
  return printable_copy(text, kMostBytes);
}

std::string WorkerProcess::with_log(std::string message) const {
  if (const std::string tail = log_tail(); !tail.empty()) message += "; its last output: " + tail;
  return message;
}

}  // namespace kerntune::process
