// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "snapshot.hpp"

namespace kerntune::testing {

// Every answer of a snapshot as text: what a caller would see.
inline std::string answers_of(const query::detail::Snapshot& snapshot) {
  std::string text;
  for (const auto& kernel : snapshot.kernels) {
    for (const auto& family : kernel.families) {
      text += std::string(kernel.name) + '|' + std::string(family.device_class) + '|' + std::string(family.other_dims) +
              '|' + std::string(family.policy) + '|' + std::string(family.data.default_config);
      for (std::size_t i = 0; i < family.data.batches.size(); ++i) {
        text += '|' + std::to_string(family.data.batches[i]) + ' ' + std::string(family.data.tuned[i].config) + ' ' +
                std::to_string(family.data.tuned[i].time_ns) + ' ' + std::to_string(family.data.tuned[i].bound_below);
      }
    }
  }
  return text;
}

}  // namespace kerntune::testing
