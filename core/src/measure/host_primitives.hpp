// SPDX-License-Identifier: Apache-2.0
#pragma once

// What fill_element.cuh and compare_element.cuh ask of their includer, for the host's compiler. Files that include it
// are compiled with -ffp-contract=off: a product and a sum stay two roundings.
#include <bit>
#include <cstdint>

#include "measure/fill_params.hpp"

namespace kerntune::fill {
namespace {

[[maybe_unused]] inline u64 bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }
[[maybe_unused]] inline u64 bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
[[maybe_unused]] inline double double_of(u64 bits) { return std::bit_cast<double>(static_cast<std::uint64_t>(bits)); }
[[maybe_unused]] inline double multiply(double a, double b) { return a * b; }
[[maybe_unused]] inline double add(double a, double b) { return a + b; }
[[maybe_unused]] inline u64 high_product(u64 a, u64 b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<u64>((static_cast<Wide>(a) * b) >> 64);
}

}  // namespace
}  // namespace kerntune::fill

#define KERNTUNE_FN [[maybe_unused]] static inline
