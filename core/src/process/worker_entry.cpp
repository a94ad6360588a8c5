// SPDX-License-Identifier: Apache-2.0
// What a worker does to itself.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <kerntune/core/orphans.hpp>

#include "process/worker_process.hpp"

namespace kerntune::process {
namespace {

pid_t worker = 0;

/// In the child of a plugin's fork(), also one that makes itself a daemon: it must not outlive the worker, nor keep the
/// channel open after it. Only async-signal-safe calls.
void tie_to_worker() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::close(kWorkerChannelFd);
  ::close(kWorkerStatusFd);
  if (::getppid() != worker) ::_exit(0);
  worker = ::getpid();
}

void write_no_core() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

/// When memory runs out, the kernel shall end a worker, which is replaced, and not the supervisor.
void offer_to_the_oom_killer() { std::ofstream("/proc/self/oom_score_adj") << "1000"; }

/// Private writable memory of this process, in bytes; 0 if the kernel does not say.
std::uint64_t private_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmData:")) return std::strtoull(line.c_str() + 7, nullptr, 10) << 10;
  }
  return 0;
}

}  // namespace

void enter_worker(pid_t supervisor) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != supervisor) std::_Exit(0);               // it ended before the signal was armed
  ::close_range(STDERR_FILENO + 1, kWorkerChannelFd - 1, 0);  // what the supervisor itself was started with
  ::fcntl(kWorkerChannelFd, F_SETFD, FD_CLOEXEC);
  ::fcntl(kWorkerStatusFd, F_SETFD, FD_CLOEXEC);
  worker = ::getpid();
  adopt_orphans();  // they stay below this worker while it lives, and go to its supervisor afterwards
  ::pthread_atfork(nullptr, nullptr, tie_to_worker);
  write_no_core();
  offer_to_the_oom_killer();
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // a crash must not take the last lines along
}

std::uint64_t machine_memory_bytes() {
  const auto pages = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  const std::uint64_t machine = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t container = 0;
  std::ifstream("/sys/fs/cgroup/memory.max") >> container;  // "max", or no such file: it stays 0
  return container > 0 ? std::min(machine, container) : machine;
}

void limit_memory_growth(std::uint64_t bytes) {
  static const std::uint64_t begun_with = private_bytes();
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const rlim_t wanted = begun_with + bytes;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? wanted : std::min<rlim_t>(wanted, limit.rlim_max);
  ::setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace kerntune::process
