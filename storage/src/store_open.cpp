// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <system_error>
#include <utility>

#include <kerntune/storage/result_store.hpp>

#include "create_file.hpp"
#include "file_probe.hpp"
#include "schema.hpp"
#include "store_connection.hpp"
#include "store_failure.hpp"

namespace kerntune::storage {
namespace {

constexpr std::chrono::seconds kLockWait{10};
constexpr char kOpening[] = "open store";

void create(const std::string& path) {
  const auto image = writing("create store", path, [] { return empty_store_image(); });
  try {
    create_file(path, image);
  } catch (const std::system_error& error) {
    fail("create store", path, std::string(error.what()) + "; check the folder, its permissions and its free space");
  }
}

void require_usable(const std::string& path, ResultStore::Mode mode) {
  const bool creating = mode == ResultStore::Mode::create;
  FileProbe probe = probe_file(path);
  if (probe.kind == FileKind::missing && creating) {
    create(path);
    probe = probe_file(path);
  }
  if (probe.kind == FileKind::usable || (probe.kind == FileKind::empty && creating)) return;
  fail(kOpening, path, probe.problem);
}

// SQLite answers with the mode it has, and no error, where it cannot change it.
void require_truncated_journal(sqlite::Connection& db, const std::string& path) {
  auto mode = db.query("PRAGMA journal_mode = TRUNCATE");
  if (mode.step() && mode.text(0) == "truncate") return;
  fail(kOpening, path, "another program keeps it in another journal mode; close that program, then try again");
}

sqlite::Connection open_writable(const std::string& path) {
  auto db = sqlite::Connection::open(path, sqlite::Connection::Access::read_write, kLockWait);
  // TRUNCATE and FULL: SQLite syncs the emptied journal too, so that a commit survives a power cut
  // (docs/adr/0004-store-journal.md).
  db.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  require_truncated_journal(db, path);
  migrate(db, migrations());
  return db;
}

// Undoing what a killed writer left needs write access; a reader that may write lends it.
void undo_interrupted_commit(const std::string& path) {
  auto db = sqlite::Connection::open(path, sqlite::Connection::Access::read_write, kLockWait);
  db.integer("SELECT count(*) FROM sqlite_schema");
}

std::int64_t recovered_schema(sqlite::Connection& db, const std::string& path) {
  try {
    return schema_version(db);
  } catch (const sqlite::SqliteError& error) {
    if (error.cause() != sqlite::Cause::hot_journal) throw;
    undo_interrupted_commit(path);
    return schema_version(db);
  }
}

sqlite::Connection open_read_only(const std::string& path) {
  auto db = sqlite::Connection::open(path, sqlite::Connection::Access::read_only, kLockWait);
  const std::int64_t schema = recovered_schema(db, path);
  if (schema < kSchemaVersion) {
    fail(kOpening, path,
         "schema " + std::to_string(schema) + " is older than " + std::to_string(kSchemaVersion) +
             "; open it once for writing, which brings it up to date");
  }
  return db;
}

}  // namespace

ResultStore ResultStore::open(const std::string& path, Mode mode) {
  require_usable(path, mode);
  return reading(kOpening, path, [&] {
    auto db = mode == Mode::read_only ? open_read_only(path) : open_writable(path);
    return ResultStore(path, std::make_unique<Connection>(std::move(db)));
  });
}

// Leaving the TRUNCATE mode takes the emptied journal away. Nothing depends on it.
ResultStore::Connection::~Connection() {
  try {
    if (!db.in_transaction()) db.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
  } catch (const sqlite::SqliteError&) {
  }
}

void ResultStore::wait_with(Patience patience) { connection_->db.wait_with(std::move(patience)); }

ResultStore::ResultStore(std::string path, std::unique_ptr<Connection> connection)
    : path_(std::move(path)), connection_(std::move(connection)) {}
ResultStore::ResultStore(ResultStore&&) noexcept = default;
ResultStore& ResultStore::operator=(ResultStore&&) noexcept = default;
ResultStore::~ResultStore() = default;

}  // namespace kerntune::storage
