// SPDX-License-Identifier: Apache-2.0
#include "start_up.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include <kerntune/core/orphans.hpp>

namespace kerntune::app {

void start_up() {
  int opened = 0;
  while ((opened = ::open("/dev/null", O_RDWR)) >= 0 && opened <= STDERR_FILENO) {
  }
  if (opened > STDERR_FILENO) ::close(opened);
  adopt_orphans();
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace kerntune::app
