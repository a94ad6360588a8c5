// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sqlite_db.hpp"

namespace kerntune::storage {

/// The SQL that leads from schema i to i + 1, embedded at build time from migrations/.
std::span<const char* const> migrations();

/// Brings a database to schema steps.size() in one transaction; does nothing if it is there. A database without content
/// becomes a store. Errors: SqliteError, and the database is as it was; damage if it is neither empty nor ours.
void migrate(sqlite::Connection& connection, std::span<const char* const> steps);

/// The schema of a database that is not to be changed. Errors: as migrate().
std::int64_t schema_version(sqlite::Connection& connection);

/// A database file, complete, with no rows in it.
std::vector<std::byte> empty_store_image();

}  // namespace kerntune::storage
