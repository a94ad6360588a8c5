// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kerntune::storage {

/// True for what `verified` says of an output that was checked; "no" and anything unknown are no proof.
inline bool is_proof(std::string_view verified) noexcept {
  return verified == "reference" || verified == "against_default" || verified == "recorded";
}

}  // namespace kerntune::storage
