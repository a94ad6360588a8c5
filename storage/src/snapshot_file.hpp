// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "snapshot.hpp"

namespace kerntune::query::detail {

/// Reads the winners of the store at `path`, changing nothing. What is wrong ends in Snapshot::error. Errors:
/// std::bad_alloc.
Snapshot read_snapshot(const std::string& path);

/// The same from a store's bytes; `name` stands for it in messages. The bytes may be changed.
Snapshot read_snapshot(std::span<std::byte> image, const std::string& name);

}  // namespace kerntune::query::detail
