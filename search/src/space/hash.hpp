// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kerntune::search::detail {

/// Combines a hash with one more word: a multiplication spreads the low bits upwards, the shift brings them back.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) noexcept {
  const std::uint64_t product = (hash ^ word) * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019;
  return product ^ (product >> 32);
}

}  // namespace kerntune::search::detail
