// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include <kerntune/search/param_space.hpp>
#include <kerntune/search/rng.hpp>

#include "../space/hash.hpp"

namespace kerntune::search::detail {

/// The numbers 0..count-1 in uniformly random order, each once, without listing them: the Fisher-Yates shuffle with
/// the array kept as a map of the places that differ from the identity. One map entry per number drawn at most.
class Shuffle {
 public:
  explicit Shuffle(Count count) : left_(count) {}

  /// Nothing when all have been drawn.
  std::optional<Count> next(Rng& rng);

 private:
  struct Hash {
    std::size_t operator()(Count count) const noexcept {
      return mix(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(count >> 64));
    }
  };

  Count left_;
  std::unordered_map<Count, Count, Hash> moved_;  // place -> number now there
};

}  // namespace kerntune::search::detail
