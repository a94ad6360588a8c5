// SPDX-License-Identifier: Apache-2.0
#include "store_connection.hpp"
#include "store_failure.hpp"

namespace kerntune::storage {
namespace {

constexpr char kStoreStarted[] =
    "INSERT INTO started (id, run_id, context, config, started_unix_us) VALUES (?1, ?2, ?3, ?4, ?5) "
    "ON CONFLICT (id, run_id) DO UPDATE SET started_unix_us = excluded.started_unix_us";
constexpr char kClear[] = "DELETE FROM started WHERE id = ?1 AND run_id = ?2";
constexpr char kLeftovers[] =
    "SELECT c.kernel, c.device_class, c.dims, c.code_digest, c.toolchain, c.policy, s.config, s.run_id, "
    "s.started_unix_us "
    "FROM started AS s JOIN context AS c ON c.id = s.context WHERE s.run_id <> ?1 ORDER BY s.started_unix_us, s.id, "
    "s.run_id";

}  // namespace

void ResultStore::Connection::store_started(const StartedRecord& row) {
  const std::int64_t context = context_of(row.key);
  db.query(kStoreStarted, evaluation_digest(row.key), row.run_id, context, row.key.config, row.started_unix_us).run();
}

std::vector<StartedRecord> ResultStore::leftovers(const std::string& run_id) const {
  return reading("read", path_, [&] {
    std::vector<StartedRecord> found;
    auto rows = connection_->db.query(kLeftovers, run_id);
    while (rows.step()) {
      found.push_back({.key = read_context_and_config(rows),
                       .run_id = std::string(rows.text(7)),
                       .started_unix_us = rows.integer(8)});
    }
    return found;
  });
}

void ResultStore::clear_started(std::span<const StartedRecord> rows) {
  writing("clear started rows of", path_, [&] {
    sqlite::Transaction transaction(connection_->db);
    for (const StartedRecord& row : rows) {
      connection_->db.query(kClear, evaluation_digest(row.key), row.run_id).run();
    }
    transaction.commit();
  });
}

}  // namespace kerntune::storage
