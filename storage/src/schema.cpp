// SPDX-License-Identifier: Apache-2.0
#include "schema.hpp"

#include <string>

#include "file_probe.hpp"

namespace kerntune::storage {
namespace {

// Requires a transaction, so that no other process changes it between this look and what follows.
std::int64_t schema_of(sqlite::Connection& connection, std::int64_t newest) {
  if (connection.integer("SELECT count(*) FROM sqlite_schema") == 0) return 0;
  if (connection.integer("PRAGMA application_id") != kApplicationId) sqlite::throw_damaged("the file is not a store");
  const std::int64_t version = connection.integer("PRAGMA user_version");
  if (version < 1) sqlite::throw_damaged("the file has tables but no schema version");
  if (version > newest) sqlite::throw_damaged("the schema became newer while the file was being opened");
  return version;
}

}  // namespace

void migrate(sqlite::Connection& connection, std::span<const char* const> steps) {
  const auto target = static_cast<std::int64_t>(steps.size());
  {
    sqlite::Transaction look(connection, sqlite::Transaction::Kind::read);
    if (schema_of(connection, target) == target) return;
  }
  sqlite::Transaction transaction(connection);
  for (std::int64_t version = schema_of(connection, target); version < target; ++version) {
    connection.exec(steps[static_cast<std::size_t>(version)]);
  }
  connection.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  connection.exec("PRAGMA user_version = " + std::to_string(target));
  transaction.commit();
}

std::int64_t schema_version(sqlite::Connection& connection) {
  const sqlite::Transaction look(connection, sqlite::Transaction::Kind::read);
  const std::int64_t version = schema_of(connection, kSchemaVersion);
  if (version == 0) sqlite::throw_damaged("the file has no tables");
  return version;
}

std::vector<std::byte> empty_store_image() {
  sqlite::Connection connection = sqlite::Connection::in_memory();
  migrate(connection, migrations());
  return connection.image();
}

}  // namespace kerntune::storage
