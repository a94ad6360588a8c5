// SPDX-License-Identifier: Apache-2.0
#include "store_failure.hpp"

#include <kerntune/storage/result_store.hpp>

namespace kerntune::storage {
namespace {

const char* advice(sqlite::Cause cause) {
  switch (cause) {
    case sqlite::Cause::busy:
      return "another process keeps the file locked; wait for it or stop it, then try again";
    case sqlite::Cause::full:
      return "free space on that disk, then try again";
    case sqlite::Cause::read_only:
      return "the file and its folder must be writable, and the file must not be moved while it is open";
    case sqlite::Cause::hot_journal:
      return "a writer was killed half-way, and undoing it needs a writable file and folder; open the store once where "
             "it is writable";
    case sqlite::Cause::cannot_open:
      return "the file, its folder and a journal beside it must be accessible, and while SQLite writes it makes a "
             "journal there";
    case sqlite::Cause::io:
      return "check the disk, and limits on file sizes, then try again";
    case sqlite::Cause::damaged:
      return "the file is damaged; restore it from a copy, or save what can be read with `sqlite3 FILE .recover`";
    case sqlite::Cause::not_a_database:
      return "the file is not a database, or its beginning was overwritten";
    case sqlite::Cause::constraint:
      return "the record breaks a rule of the schema (docs/cache-format.md)";
    case sqlite::Cause::other:
      break;
  }
  return "this is unexpected; please report it with the command that led to it";
}

// A disk that fails after the last write, while the end of the transaction is noted, leaves it done.
const char* outcome(Work work, sqlite::Cause cause) {
  if (work == Work::reading) return "";
  return cause == sqlite::Cause::io ? "it was stored whole or not at all; " : "nothing was stored; ";
}

}  // namespace

void fail(const std::string& doing, const std::string& path, const std::string& problem) {
  throw StorageError(doing + " '" + path + "': " + problem);
}

void fail(const std::string& doing, const std::string& path, Work work, const sqlite::SqliteError& error) {
  throw StorageError(
      doing + " '" + path + "': " + error.what() + "; " + outcome(work, error.cause()) + advice(error.cause()),
      error.code());
}

}  // namespace kerntune::storage
