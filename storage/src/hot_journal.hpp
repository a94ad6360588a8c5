// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kerntune::storage {

/// Undoes in memory what a killed writer left half-done: plays the rollback journal `journal` back into `database`,
/// both whole files (https://www.sqlite.org/fileformat.html#the_rollback_journal). SQLite itself does this only in a
/// file it may write. Returns false, and `database` is of no use, if the journal belongs to a transaction over several
/// files. A journal that is empty, or whose header says nothing was written yet, changes nothing but the length.
bool roll_back(std::vector<std::byte>& database, std::span<const std::byte> journal);

}  // namespace kerntune::storage
