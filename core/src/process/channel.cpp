// SPDX-License-Identifier: Apache-2.0
#include "process/channel.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>
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

Channel::Channel(UniqueFd fd) : fd_(std::move(fd)) {
  ::fcntl(fd_.get(), F_SETFL, ::fcntl(fd_.get(), F_GETFL) | O_NONBLOCK);
}

void Channel::send(const Message& message) {
  outgoing_ += encode_frame(message);
  flush();
}

void Channel::flush() {
  while (wants_write()) {
    const ssize_t n = ::send(fd_.get(), outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n < 0) break;  // the peer has gone: drop what it will never read
    sent_ += static_cast<std::size_t>(n);
  }
  outgoing_.clear();
  sent_ = 0;
}

bool Channel::pump() {
  std::array<char, 1 << 16> bytes;
  for (;;) {
    const ssize_t n = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (n > 0) {
      reader_.feed({bytes.data(), static_cast<std::size_t>(n)});
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

std::optional<Message> WorkerChannel::receive() {
  std::array<char, 1 << 16> bytes;
  for (;;) {
    if (auto message = reader_.next()) return message;
    const ssize_t n = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    reader_.feed({bytes.data(), static_cast<std::size_t>(n)});
  }
}

void WorkerChannel::send(const Message& message) {
  const std::string frame = encode_frame(message);
  std::size_t sent = 0;
  while (sent < frame.size()) {
    const ssize_t n = ::send(fd_.get(), frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) std::_Exit(0);  // the supervisor has gone: there is nobody left to tell
    sent += static_cast<std::size_t>(n);
  }
}

}  // namespace kerntune::process
