// SPDX-License-Identifier: Apache-2.0
#include <kerntune/search/rng.hpp>

#include <bit>

namespace kerntune::search {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) noexcept {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Drawing until the value leaves the first 2^N mod bound makes the rest a whole number of rounds of `bound`.
template <class Unsigned, class Draw>
Unsigned below_bound(Unsigned bound, Draw&& draw) noexcept {
  const Unsigned uneven = (Unsigned{0} - bound) % bound;
  Unsigned drawn = draw();
  while (drawn < uneven) {
    drawn = draw();
  }
  return drawn % bound;
}

}  // namespace

Rng::Rng(std::uint64_t seed) noexcept {
  for (std::uint64_t& word : state_) {
    word = splitmix64(seed);
  }
}

std::uint64_t Rng::operator()() noexcept {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Rng::below(std::uint64_t bound) noexcept {
  return below_bound(bound, [this] { return (*this)(); });
}

Uint128 Rng::below128(Uint128 bound) noexcept {
  if (bound <= UINT64_MAX) {
    return below(static_cast<std::uint64_t>(bound));
  }
  return below_bound(bound, [this] {
    const Uint128 high = (*this)();
    return high << 64 | (*this)();
  });
}

double Rng::unit() noexcept { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

}  // namespace kerntune::search
