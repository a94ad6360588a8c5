// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kerntune::search {

/// Unsigned integer of 128 bits (a compiler extension, hence the keyword).
__extension__ typedef unsigned __int128 Uint128;

/// The project's only random generator: xoshiro256** by Blackman and Vigna (https://prng.di.unimi.it), seeded
/// through splitmix64. Same seed, same sequence, on every platform and standard library.
class Rng {
 public:
  using result_type = std::uint64_t;

  explicit Rng(std::uint64_t seed) noexcept;

  std::uint64_t operator()() noexcept;
  static constexpr std::uint64_t min() noexcept { return 0; }
  static constexpr std::uint64_t max() noexcept { return UINT64_MAX; }

  /// Uniform in [0, bound), without modulo bias. Requires: bound > 0.
  std::uint64_t below(std::uint64_t bound) noexcept;
  Uint128 below128(Uint128 bound) noexcept;
  /// Uniform in [0, 1).
  double unit() noexcept;

 private:
  std::uint64_t state_[4];
};

}  // namespace kerntune::search
