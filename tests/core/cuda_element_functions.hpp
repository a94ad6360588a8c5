// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "measure/fill.hpp"

// The shared text of the fills, compiled once more for the host.
namespace kerntune::fill {
inline u64 bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }
inline u64 bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
inline double double_of(u64 bits) { return std::bit_cast<double>(static_cast<std::uint64_t>(bits)); }
inline double multiply(double a, double b) { return a * b; }
inline double add(double a, double b) { return a + b; }
inline u64 high_product(u64 a, u64 b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<u64>((static_cast<Wide>(a) * b) >> 64);
}
}  // namespace kerntune::fill

#define KERNTUNE_FN inline
#include "measure/compare_element.cuh"
