// SPDX-License-Identifier: Apache-2.0
#include "process/printable.hpp"

#include <algorithm>

namespace kerntune::process {
namespace {

/// Bytes of the UTF-8 sequence at the start of `text` if it is well formed (RFC 3629), else 0.
std::size_t utf8_sequence(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  switch (length) {
    case 1:
      return 1;
    case 2:
      return lead >= 0xC2 ? 2 : 0;
    case 3:
      return (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) >= 0xA0) ? 0 : 3;
    default:
      return lead > 0xF4 || (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) >= 0x90) ? 0 : 4;
  }
}

}  // namespace

std::string printable_copy(std::string_view text, std::size_t max_bytes) {
  std::string out;
  std::string_view rest = text.substr(0, max_bytes);
  while (!rest.empty()) {
    const std::size_t length = utf8_sequence(rest);
    const auto lead = static_cast<unsigned char>(rest.front());
    const bool control = (lead < 0x20 && lead != '\n' && lead != '\t') || lead == 0x7F;
    if (length == 0 || control) {
      out += '?';
    } else {
      out += rest.substr(0, length);
    }
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace kerntune::process
