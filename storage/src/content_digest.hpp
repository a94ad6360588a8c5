// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include <kerntune/storage/records.hpp>

namespace kerntune::storage {

/// SHA-256 of a record's content: the id of its row, the same in every store. docs/cache-format.md has the order of the
/// fields.
using Digest = std::array<std::byte, 32>;
Digest evaluation_digest(const EvaluationKey& key);
Digest final_digest(const FinalRecord& record);
std::string to_hex(const Digest& digest);

}  // namespace kerntune::storage
