// SPDX-License-Identifier: Apache-2.0
#include "process/unique_fd.hpp"

#include <unistd.h>

namespace kerntune::process {

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void UniqueFd::reset() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace kerntune::process
