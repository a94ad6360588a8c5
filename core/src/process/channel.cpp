// SPDX-License-Identifier: Apache-2.0
#include "process/channel.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kerntune::process {

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

Channel::Pumped Channel::pump() {
  constexpr int kMostReads = 64;
  std::array<char, 1 << 16> bytes;
  for (int reads = 0; reads < kMostReads;) {
    const ssize_t n = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Pumped::all;
    if (n <= 0) return Pumped::closed;
    reader_.feed({bytes.data(), static_cast<std::size_t>(n)});
    ++reads;
  }
  return Pumped::some;
}

namespace {

/// What was printed so far must be in the log before the mark, or before the answer that it belongs to.
void flush_output() { std::fflush(stdout); }

void mark_log() {
  flush_output();
  [[maybe_unused]] const ssize_t lost_if_closed = ::write(STDERR_FILENO, &kLogMark, 1);
}

}  // namespace

std::optional<Message> WorkerChannel::receive() {
  std::array<char, 1 << 16> bytes;
  for (;;) {
    if (auto message = reader_.next()) {
      mark_log();
      return message;
    }
    const ssize_t n = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    reader_.feed({bytes.data(), static_cast<std::size_t>(n)});
  }
}

namespace {

/// The supervisor has gone and nobody is left to tell, or a callback has closed or replaced this process's end, which
/// the log can still tell.
[[noreturn]] void leave_unheard(int error) {
  if (error != EPIPE && error != ECONNRESET)
    std::fprintf(stderr, "the channel to the supervisor was closed or changed by a callback: %s\n",
                 std::strerror(error));
  std::_Exit(kExitUnheard);
}

}  // namespace

void WorkerChannel::send(const Message& message) {
  flush_output();
  const std::string frame = encode_frame(message);
  std::size_t sent = 0;
  while (sent < frame.size()) {
    const ssize_t n = ::send(fd_.get(), frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) leave_unheard(errno);
    sent += static_cast<std::size_t>(n);
  }
}

}  // namespace kerntune::process
