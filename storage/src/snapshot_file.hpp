// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "snapshot.hpp"

namespace kerntune::query::detail {

/// Reads the winners of the store at `path`, changing nothing. What is wrong ends in Snapshot::error. Errors:
/// std::bad_alloc.
Snapshot read_snapshot(const std::string& path);

/// The same from the bytes of a store and of the journal beside it, if any; `name` stands for them in messages.
Snapshot read_snapshot(std::vector<std::byte> database, std::span<const std::byte> journal, const std::string& name);

}  // namespace kerntune::query::detail
