// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kerntune/core/errors.hpp>

namespace kerntune::process {

/// What supervisor and workers say to each other: one JSON text and one block of bytes (cubins).
struct Message {
  std::string text;
  std::string blob;
};

/// Bytes on a channel that are not a frame: a worker wrote to the wrong descriptor, or its memory is corrupt.
class ProtocolError : public Error {
 public:
  using Error::Error;
};

/// A frame is 20 bytes of header (magic "KTF1", text size, blob size as two 32-bit halves, CRC-32 of the payload;
/// little endian), then text, then blob.
inline constexpr std::size_t kFrameHeaderBytes = 20;
inline constexpr std::uint64_t kMaxFrameBytes = UINT64_C(1) << 30;

/// Errors: ProtocolError if the message is larger than kMaxFrameBytes.
std::string encode_frame(const Message& message);

/// Cuts a byte stream into messages.
class FrameReader {
 public:
  void feed(std::string_view bytes) { pending_.append(bytes); }
  /// The next complete message, if there is one. Errors: ProtocolError; the stream is unusable after it.
  std::optional<Message> next();
  bool empty() const noexcept { return pending_.size() == consumed_; }

 private:
  std::string pending_;
  std::size_t consumed_ = 0;
};

}  // namespace kerntune::process
