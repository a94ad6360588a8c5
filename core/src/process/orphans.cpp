// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/orphans.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kerntune {

namespace {

std::mutex kept_mutex;
std::set<pid_t> kept;

bool adopts_orphans() {
  int adopts = 0;
  return ::prctl(PR_GET_CHILD_SUBREAPER, &adopts) == 0 && adopts != 0;
}

/// Orphans come to whichever thread the kernel picks.
std::vector<pid_t> children() {
  std::vector<pid_t> pids;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(thread.path() / "children");
    for (pid_t pid = 0; list >> pid;) pids.push_back(pid);
  }
  return pids;
}

std::vector<pid_t> orphans_since(std::uint64_t start) {
  std::vector<pid_t> pids = children();
  const std::lock_guard lock(kept_mutex);
  std::erase_if(pids, [&](pid_t pid) { return kept.contains(pid) || start_of(pid) < start; });
  return pids;
}

/// One that hangs in a driver stays a zombie to be.
void end(pid_t pid) {
  constexpr int kMostLooks = 100;
  ::kill(pid, SIGKILL);
  for (int look = 0; look < kMostLooks && ::waitpid(pid, nullptr, WNOHANG) == 0; ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

void adopt_orphans() noexcept { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void claim_child(pid_t process) {
  const std::lock_guard lock(kept_mutex);
  kept.insert(process);
}

void disclaim_child(pid_t process) noexcept {
  const std::lock_guard lock(kept_mutex);
  kept.erase(process);
}

std::uint64_t start_of(pid_t process) noexcept try {
  constexpr int kFieldsBefore = 19;  // after the name: proc(5), starttime is the 22nd field
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < kFieldsBefore; ++i) fields >> skipped;
  std::uint64_t start = 0;
  fields >> start;
  return start;
} catch (const std::exception&) {
  return 0;
}

void end_orphans(std::uint64_t start) noexcept try {
  constexpr int kMostGenerations = 100;  // the children of one that was ended come next
  if (start == 0 || !adopts_orphans()) return;
  for (int generation = 0; generation < kMostGenerations; ++generation) {
    const std::vector<pid_t> pids = orphans_since(start);
    if (pids.empty()) return;
    for (const pid_t pid : pids) end(pid);
  }
} catch (const std::exception&) {  // no memory, or no /proc: they stay
}

}  // namespace kerntune
