// SPDX-License-Identifier: Apache-2.0
#include "snapshot_file.hpp"

#include <chrono>

#include "file_probe.hpp"

namespace kerntune::query::detail {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30;
constexpr std::chrono::seconds kLockWait{2};

Snapshot load_checked(sqlite::Connection& db) {
  const sqlite::Transaction one_state(db, sqlite::Transaction::Kind::read);
  return load_finals(db);
}

Snapshot refused(const std::string& name, const std::string& problem) {
  return failed("read tuned configurations from '" + name + "': " + problem);
}

}  // namespace

Snapshot read_snapshot(const std::string& path) {
  const storage::FileProbe probe = storage::probe_file(path);
  if (probe.kind != storage::FileKind::usable) return refused(path, probe.problem);
  if (probe.bytes > kMaxFileBytes) return refused(path, "over 1 GiB");
  try {
    auto db = sqlite::Connection::open(path, sqlite::Connection::Access::read_only, kLockWait);
    return load_checked(db);
  } catch (const sqlite::SqliteError& error) {
    return refused(path, error.what());
  }
}

}  // namespace kerntune::query::detail
