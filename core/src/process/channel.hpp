// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "process/frame.hpp"
#include "process/unique_fd.hpp"

namespace kerntune::process {

/// Messages over one end of a socket pair. The supervisor's end never blocks: what the socket does not take is kept and
/// goes out with flush(). Not thread-safe.
class Channel {
 public:
  explicit Channel(UniqueFd fd);  // makes it non-blocking

  /// Queues and tries to send. A vanished peer is not an error here: receive() will say so.
  void send(const Message& message);
  void flush();
  bool wants_write() const noexcept { return sent_ < outgoing_.size(); }

  enum class Pumped { all, some, closed };
  /// Takes in what has arrived, at most a few megabytes at a time, so that a peer that never stops sending cannot keep
  /// its reader from looking at anything else. closed: the peer has closed its end, and everything was taken in.
  Pumped pump();
  /// Errors: ProtocolError.
  std::optional<Message> next() { return reader_.next(); }
  int fd() const noexcept { return fd_.get(); }

 private:
  UniqueFd fd_;
  FrameReader reader_;
  std::string outgoing_;
  std::size_t sent_ = 0;
};

/// Written to a worker's output where the work of a message begins: what was printed earlier has nothing to do with it.
inline constexpr char kLogMark = '\x1e';  // ASCII's record separator

/// Exit code of a worker that cannot send its answer.
inline constexpr int kExitUnheard = 70;

/// A worker's end: blocking.
class WorkerChannel {
 public:
  explicit WorkerChannel(int fd) : fd_(fd) {}
  /// Nothing when the supervisor has gone. Marks the log (kLogMark). Errors: ProtocolError.
  std::optional<Message> receive();
  void send(const Message& message);

 private:
  UniqueFd fd_;
  FrameReader reader_;
};

}  // namespace kerntune::process
