// SPDX-License-Identifier: Apache-2.0
#include "error_sink.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <string_view>

#include <fmt/format.h>

namespace kerntune {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{64} << 10;

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

/// Copies a plugin's text so that it can be stored and printed: bounded, UTF-8, no control characters but line ends and
/// tabs.
std::string clean_copy(kerntune_str text) {
  std::string out;
  if (text.data == nullptr) return out;
  std::string_view rest(text.data, std::min<std::size_t>(text.size, kMaxTextBytes));
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

void set_error(kerntune_error* error, kerntune_str text) noexcept {
  if (error == nullptr) return;
  try {
    const std::scoped_lock lock(error->mutex);
    error->text = clean_copy(text);
  } catch (...) {  // out of memory: the status still tells the failure
  }
}

std::string_view level_name(std::int32_t level) noexcept {
  switch (level) {
    case KERNTUNE_LOG_DEBUG:
      return "debug";
    case KERNTUNE_LOG_WARNING:
      return "warning";
    default:
      return "info";
  }
}

/// A worker's standard error is the run's log.
void log(std::int32_t level, kerntune_str text) noexcept {
  try {
    const std::string line = fmt::format("plugin [{}] {}\n", level_name(level), clean_copy(text));
    std::fwrite(line.data(), 1, line.size(), stderr);
  } catch (...) {  // a line that cannot be written is not worth failing for
  }
}

Reason reason_of(kerntune_status status) noexcept {
  switch (status) {
    case KERNTUNE_UNSUPPORTED:
      return Reason::unsupported;
    case KERNTUNE_OUT_OF_MEMORY:
      return Reason::out_of_memory;
    case KERNTUNE_DEVICE_ERROR:
      return Reason::launch_error;
    default:
      return Reason::internal_error;  // also every status that this version does not know
  }
}

}  // namespace

const kerntune_host& plugin_host_services() noexcept {
  static constexpr kerntune_host kHost{.struct_size = KERNTUNE_HOST_SIZE,
                                       .abi_major = KERNTUNE_ABI_MAJOR,
                                       .abi_minor = KERNTUNE_ABI_MINOR,
                                       .reserved = 0,
                                       .set_error = &set_error,
                                       .log = &log};
  return kHost;
}

Rejection rejection_from(kerntune_status status, kerntune_error& error, const char* what) {
  const std::scoped_lock lock(error.mutex);
  std::string text = error.text.empty() ? fmt::format("the plugin gave no reason (status {})", status) : error.text;
  return {.reason = reason_of(status), .message = fmt::format("{}: {}", what, text)};
}

}  // namespace kerntune
