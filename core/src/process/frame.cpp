// SPDX-License-Identifier: Apache-2.0
#include "process/frame.hpp"

#include <array>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/crc.hpp>

namespace kerntune::process {
namespace {

constexpr std::uint32_t kMagic = 0x3146544B;  // "KTF1" in memory on a little-endian machine

struct Header {
  std::uint32_t magic;
  std::uint32_t text_bytes;
  std::uint32_t blob_low;
  std::uint32_t blob_high;
  std::uint32_t crc;
  std::uint64_t blob_bytes() const { return (std::uint64_t{blob_high} << 32) | blob_low; }
  std::uint64_t payload_bytes() const { return text_bytes + blob_bytes(); }
};
static_assert(sizeof(Header) == kFrameHeaderBytes);

std::uint32_t crc_of(std::string_view a, std::string_view b) {
  boost::crc_32_type crc;
  crc.process_bytes(a.data(), a.size());
  crc.process_bytes(b.data(), b.size());
  return crc.checksum();
}

void check_size(std::uint64_t bytes) {
  if (bytes > kMaxFrameBytes) {
    throw ProtocolError(
        fmt::format("worker channel: a message of {} bytes is over the limit of {}", bytes, kMaxFrameBytes));
  }
}

/// As soon as there is something to see: foreign bytes may be fewer than a header.
void require_magic(std::string_view bytes) {
  std::array<char, sizeof kMagic> magic{};
  std::memcpy(magic.data(), &kMagic, sizeof kMagic);
  const std::string_view begin = bytes.substr(0, magic.size());
  if (std::string_view(magic.data(), magic.size()).starts_with(begin)) return;
  throw ProtocolError(fmt::format("worker channel: expected a frame, found the bytes {:02x}",
                                  fmt::join(reinterpret_cast<const unsigned char*>(begin.data()),
                                            reinterpret_cast<const unsigned char*>(begin.data()) + begin.size(), " ")));
}

}  // namespace

std::string encode_frame(const Message& message) {
  check_size(message.text.size() + message.blob.size());
  const std::uint64_t blob = message.blob.size();
  const Header header{kMagic, static_cast<std::uint32_t>(message.text.size()), static_cast<std::uint32_t>(blob),
                      static_cast<std::uint32_t>(blob >> 32), crc_of(message.text, message.blob)};
  std::string frame(reinterpret_cast<const char*>(&header), sizeof header);
  frame.reserve(sizeof header + header.payload_bytes());
  frame += message.text;
  frame += message.blob;
  return frame;
}

std::optional<Message> FrameReader::next() {
  const std::string_view rest = std::string_view(pending_).substr(consumed_);
  require_magic(rest);
  if (rest.size() < sizeof(Header)) return std::nullopt;
  Header header;
  std::memcpy(&header, rest.data(), sizeof header);
  check_size(header.blob_bytes());  // alone first: a false size may wrap the sum
  check_size(header.payload_bytes());
  if (rest.size() < sizeof header + header.payload_bytes()) return std::nullopt;
  Message message{std::string(rest.substr(sizeof header, header.text_bytes)),
                  std::string(rest.substr(sizeof header + header.text_bytes, header.blob_bytes()))};
  if (crc_of(message.text, message.blob) != header.crc) {
    throw ProtocolError("worker channel: a frame's checksum does not match its contents");
  }
  consumed_ += sizeof header + header.payload_bytes();
  if (consumed_ == pending_.size()) {
    pending_.clear();
    consumed_ = 0;
  } else if (consumed_ > (1U << 20)) {
    pending_.erase(0, consumed_);
    consumed_ = 0;
  }
  return message;
}

}  // namespace kerntune::process
