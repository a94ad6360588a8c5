// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "child.hpp"
#include "sqlite_db.hpp"

namespace kerntune::testing {

/// Leaves the store at `path` as a writer killed in the middle of a large transaction does: pages overwritten and
/// added, and a journal of several parts beside it. Returns an empty text, or what went wrong.
inline std::string interrupt_a_commit(const std::string& path, const std::string& sql) {
  return in_child([&]() -> std::string {
    auto db = sqlite::Connection::open(path, sqlite::Connection::Access::read_write, std::chrono::seconds(1));
    db.exec("PRAGMA journal_mode = TRUNCATE; PRAGMA cache_size = 3; BEGIN IMMEDIATE");  // three pages: it has to write
                                                                                        // early
    db.exec(sql);
    ::_exit(0);
  });
}

/// Rewrites every winner, and adds enough rows to make the file grow.
inline constexpr char kRewriteEverything[] =
    "UPDATE final SET config = 'never committed'; UPDATE context SET toolchain = 'never committed';"
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
    "INSERT INTO run SELECT 'never ' || i, 1, NULL, hex(zeroblob(300)), '', 0, '', '', '', '', '', '' FROM n";

}  // namespace kerntune::testing
