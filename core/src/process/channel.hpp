// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "process/frame.hpp"

namespace kerntune::process {

/// A file descriptor with an owner. Move-only.
class UniqueFd {
 public:
  UniqueFd() noexcept = default;
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  ~UniqueFd() { reset(); }
  void reset() noexcept;
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Messages over one end of a socket pair. The supervisor's end never blocks: what the socket does not take is kept and
/// goes out with flush(). Not thread-safe.
class Channel {
 public:
  explicit Channel(UniqueFd fd);  // makes it non-blocking

  /// Queues and tries to send. A vanished peer is not an error here: receive() will say so.
  void send(const Message& message);
  void flush();
  bool wants_write() const noexcept { return sent_ < outgoing_.size(); }

  /// Reads what has arrived. False once the peer has closed its end and everything it sent was taken in.
  bool pump();
  /// Errors: ProtocolError.
  std::optional<Message> next() { return reader_.next(); }
  int fd() const noexcept { return fd_.get(); }

 private:
  UniqueFd fd_;
  FrameReader reader_;
  std::string outgoing_;
  std::size_t sent_ = 0;
};

/// A worker's end: blocking.
class WorkerChannel {
 public:
  explicit WorkerChannel(int fd) : fd_(fd) {}
  /// Nothing when the supervisor has gone. Errors: ProtocolError.
  std::optional<Message> receive();
  void send(const Message& message);

 private:
  UniqueFd fd_;
  FrameReader reader_;
};

}  // namespace kerntune::process
