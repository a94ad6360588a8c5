// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kerntune::storage {

struct FileCopy {
  std::vector<std::byte> database, journal;
};

/// Reads a database and the journal beside it without locks: nothing if either changed meanwhile (after three
/// attempts), cannot be read, or is larger than `max_bytes`. The copy shows one state of the two files; the state may
/// be that of an interrupted write.
std::optional<FileCopy> copy_with_journal(const std::string& path, std::uint64_t max_bytes);

}  // namespace kerntune::storage
