// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sqlite_db.hpp"

namespace kerntune::storage {

/// Throws the StorageError for what SQLite said: "<doing> '<path>': <what was found>; <what to do>".
[[noreturn]] void fail(const std::string& doing, const std::string& path, const sqlite::SqliteError& error);
[[noreturn]] void fail(const std::string& doing, const std::string& path, const std::string& problem);

/// Runs `work`, turning SQLite's exceptions into StorageError.
template <typename Work>
auto guarded(const std::string& doing, const std::string& path, Work&& work) {
  try {
    return work();
  } catch (const sqlite::SqliteError& error) {
    fail(doing, path, error);
  }
}

}  // namespace kerntune::storage
