// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sqlite_db.hpp"

namespace kerntune::storage {

/// Throws a StorageError "<doing> '<path>': <problem>".
[[noreturn]] void fail(const std::string& doing, const std::string& path, const std::string& problem);

enum class Work { reading, writing };
/// The same for what SQLite said, with what became of the data and what to do.
[[noreturn]] void fail(const std::string& doing, const std::string& path, Work work, const sqlite::SqliteError& error);

/// Runs `work`, turning SQLite's exceptions into StorageError.
template <typename Function>
auto reading(const std::string& doing, const std::string& path, Function&& work) {
  try {
    return work();
  } catch (const sqlite::SqliteError& error) {
    fail(doing, path, Work::reading, error);
  }
}

template <typename Function>
auto writing(const std::string& doing, const std::string& path, Function&& work) {
  try {
    return work();
  } catch (const sqlite::SqliteError& error) {
    fail(doing, path, Work::writing, error);
  }
}

}  // namespace kerntune::storage
