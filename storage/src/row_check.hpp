// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kerntune::storage {

/// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/), over a row's fields in a fixed order. SQLite's own
/// integrity check finds a quarter of single-bit errors at best; this finds every one, as each step is a bijection of
/// the state. It guards against accidents, not against forgery.
class RowCheck {
 public:
  RowCheck& add(std::string_view text) noexcept {
    add(static_cast<std::int64_t>(text.size()));
    for (const char c : text) step(static_cast<unsigned char>(c));
    return *this;
  }
  RowCheck& add(std::span<const std::byte> bytes) noexcept {
    return add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  RowCheck& add(std::int64_t value) noexcept {
    for (int shift = 0; shift < 64; shift += 8)
      step(static_cast<unsigned char>(static_cast<std::uint64_t>(value) >> shift));
    return *this;
  }
  RowCheck& add(double value) noexcept {
    return add(std::bit_cast<std::int64_t>(value + 0.0));
  }  // SQLite keeps no -0.0
  std::int64_t value() const noexcept { return std::bit_cast<std::int64_t>(state_); }

 private:
  void step(unsigned char byte) noexcept { state_ = (state_ ^ byte) * 0x100000001b3u; }
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace kerntune::storage
