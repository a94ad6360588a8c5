// SPDX-License-Identifier: Apache-2.0
#include "error_sink.hpp"

#include <cstdio>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "process/printable.hpp"

namespace kerntune {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{64} << 10;

std::string clean_copy(kerntune_str text) {
  return text.data == nullptr ? std::string() : process::printable_copy({text.data, text.size}, kMaxTextBytes);
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
