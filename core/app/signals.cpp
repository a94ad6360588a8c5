// SPDX-License-Identifier: Apache-2.0
#include "signals.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

namespace kerntune::app {
namespace {

StopFlag g_stop{0};
struct sigaction g_old_interrupt, g_old_terminate, g_old_hangup;
static_assert(StopFlag::is_always_lock_free, "written by a signal handler");

void say(std::string_view text) {
  // Only async-signal-safe calls here; a lost message is no reason to do anything.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

extern "C" void raise_stop(int signal_number) {
  const int saved_errno = errno;
  const int before = g_stop.load();
  if (before == 0) {
    g_stop.store(1);
    say("\nkerntune: stopping after what is in flight; once more to stop at once\n");
  } else if (before == 1) {
    g_stop.store(2);
    say("\nkerntune: stopping at once\n");
  } else {
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
  }
  errno = saved_errno;
}

void install(int signal_number, struct sigaction& old) {
  struct sigaction action{};
  action.sa_handler = raise_stop;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: waits in the engine return and see the flag.
  sigaction(signal_number, nullptr, &old);
  if (old.sa_handler != SIG_IGN) sigaction(signal_number, &action, nullptr);  // nohup, or a shell's background job
}

}  // namespace

StopOnSignals::StopOnSignals() {
  g_stop.store(0);
  install(SIGINT, g_old_interrupt);
  install(SIGTERM, g_old_terminate);
  install(SIGHUP, g_old_hangup);
}

StopOnSignals::~StopOnSignals() {
  sigaction(SIGINT, &g_old_interrupt, nullptr);
  sigaction(SIGTERM, &g_old_terminate, nullptr);
  sigaction(SIGHUP, &g_old_hangup, nullptr);
}

const StopFlag& StopOnSignals::flag() const noexcept { return g_stop; }

}  // namespace kerntune::app
