// SPDX-License-Identifier: Apache-2.0
#include "snapshot_file.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "file_copy.hpp"
#include "file_probe.hpp"
#include "hot_journal.hpp"

namespace kerntune::query::detail {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxCopyBytes = std::uint64_t{1} << 28;
constexpr std::chrono::seconds kLockWait{2};

Snapshot refused(const std::string& name, const std::string& problem) {
  return failed("read tuned configurations from '" + name + "': " + problem);
}

// Of the pages behind the table, and that no row is missing from it. A damaged tree can otherwise lead in circles, so
// this comes first. A view in place of a table could do anything.
void require_sound_tables(sqlite::Connection& db) {
  if (db.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('final', 'context', "
                 "'evaluation')") != 3) {
    sqlite::throw_damaged("the tables of results are missing");
  }
  auto check = db.query("PRAGMA quick_check('final')");
  if (!check.step() || check.text(0) != "ok") sqlite::throw_damaged("the table of winners is damaged");
  const auto rows = db.integer("SELECT count(*) FROM final NOT INDEXED");
  if (rows != db.integer("SELECT count(*) FROM final INDEXED BY final_by_identity")) {
    sqlite::throw_damaged("a winner is lost");
  }
}

Snapshot load(sqlite::Connection& db) {
  const sqlite::Transaction one_state(db, sqlite::Transaction::Kind::read);
  require_sound_tables(db);
  return load_finals(db);
}

// Locks that cannot be had and journals that cannot be played back are no obstacle to reading a copy.
bool copy_may_help(sqlite::Cause cause) {
  return cause == sqlite::Cause::hot_journal || cause == sqlite::Cause::busy || cause == sqlite::Cause::io ||
         cause == sqlite::Cause::cannot_open;
}

Snapshot read_copy(const std::string& path, const std::string& problem) {
  std::optional<storage::FileCopy> copy = storage::copy_with_journal(path, kMaxCopyBytes);
  if (!copy) return refused(path, problem);
  return read_snapshot(std::move(copy->database), copy->journal, path);
}

}  // namespace

Snapshot read_snapshot(std::vector<std::byte> database, std::span<const std::byte> journal, const std::string& name) {
  if (!storage::roll_back(database, journal)) {
    return refused(
        name,
        "a writer was killed half-way, and what it left cannot be undone in memory; open the store once where it is "
        "writable");
  }
  const storage::FileProbe probe = storage::probe_header(database);
  if (probe.kind != storage::FileKind::usable) return refused(name, probe.problem);
  try {
    auto db = sqlite::Connection::over(database);
    return load(db);
  } catch (const sqlite::SqliteError& error) {
    return refused(name, error.what());
  }
}

Snapshot read_snapshot(const std::string& path) {
  const storage::FileProbe probe = storage::probe_file(path);
  if (probe.kind != storage::FileKind::usable) return refused(path, probe.problem);
  if (probe.bytes > kMaxFileBytes) {
    return refused(path,
                   std::to_string(probe.bytes) + " bytes, and at most 1 GiB is read; remove old results or publish");
  }
  try {
    auto db = sqlite::Connection::open(path, sqlite::Connection::Access::read_only, kLockWait);
    return load(db);
  } catch (const sqlite::SqliteError& error) {
    return copy_may_help(error.cause()) ? read_copy(path, error.what()) : refused(path, error.what());
  }
}

}  // namespace kerntune::query::detail
