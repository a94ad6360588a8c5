// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kerntune/search/param_space.hpp>

namespace kerntune {

inline std::size_t hash_of(const search::Config& config) noexcept {
  std::size_t hash = config.size();
  for (const std::uint32_t index : config) hash = (hash ^ index) * 0x9E3779B97F4A7C15U + (hash >> 29);
  return hash;
}

struct ConfigHash {
  std::size_t operator()(const search::Config& config) const noexcept { return hash_of(config); }
};

}  // namespace kerntune
