// SPDX-License-Identifier: Apache-2.0
#include "store_failure.hpp"

#include <kerntune/storage/result_store.hpp>

namespace kerntune::storage {
namespace {

const char* advice(sqlite::Cause cause) {
  switch (cause) {
    case sqlite::Cause::busy:
      return "another process kept the file locked for 10 s; wait for it or stop it, then try again";
    case sqlite::Cause::full:
      return "nothing of this was stored; free space on that disk, then try again";
    case sqlite::Cause::read_only:
      return "nothing was stored; the file and its folder must be writable, and the file must not be moved while it is "
             "open";
    case sqlite::Cause::hot_journal:
      return "a writer was killed half-way, and undoing it needs a writable file and folder; open the store once where "
             "it is "
             "writable";
    case sqlite::Cause::cannot_open:
      return "SQLite keeps a journal beside the file while it writes; the file and its folder must be accessible, and "
             "a journal "
             "left there readable";
    case sqlite::Cause::io:
      return "the disk failed, or a limit on file sizes was met; nothing of this was stored";
    case sqlite::Cause::damaged:
      return "the file is damaged; restore it from a copy, or save what can be read with `sqlite3 FILE .recover`";
    case sqlite::Cause::not_a_database:
      return "the file is not a database, or its beginning was overwritten";
    case sqlite::Cause::constraint:
      return "the record breaks a rule of the schema (docs/cache-format.md); nothing was stored";
    case sqlite::Cause::other:
      break;
  }
  return "nothing was stored";
}

}  // namespace

void fail(const std::string& doing, const std::string& path, const sqlite::SqliteError& error) {
  throw StorageError(doing + " '" + path + "': " + error.what() + "; " + advice(error.cause()), error.code());
}

void fail(const std::string& doing, const std::string& path, const std::string& problem) {
  throw StorageError(doing + " '" + path + "': " + problem);
}

}  // namespace kerntune::storage
