// SPDX-License-Identifier: Apache-2.0
// SQLite as three RAII types. This pair is the only code that includes sqlite3.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace kerntune::sqlite {

/// What a caller can act on; everything else is `other`.
enum class Cause { other, busy, full, read_only, hot_journal, cannot_open, io, damaged, not_a_database, constraint };

/// SQLite refused. what() is SQLite's own text, with the operating system's reason where there is one.
class SqliteError : public std::runtime_error {
 public:
  SqliteError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int code() const noexcept { return code_; }  // extended result code
  Cause cause() const noexcept;

 private:
  int code_;
};

/// A row holds what the schema forbids: the file was damaged or written by something else.
[[noreturn]] void throw_damaged(const std::string& what);

class Query;

/// One open database. Threads: one at a time. Move-only.
class Connection {
 public:
  enum class Access { read_only, read_write };

  /// Opens an existing file; creates none. Access to its content starts with the first statement.
  static Connection open(const std::string& path, Access access, std::chrono::milliseconds busy_timeout);
  static Connection in_memory();
  /// A read-only database over a copy of a database file's bytes. `image` must outlive the connection.
  static Connection over(std::span<std::byte> image);

  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&& other) noexcept;
  ~Connection();

  /// Asked while another process keeps the file locked, with how long that has been; false fails the statement.
  using Patience = std::function<bool(std::chrono::milliseconds waited)>;
  void wait_with(Patience patience);

  /// Runs statements that return nothing of interest.
  void exec(const std::string& sql);
  /// The kept statement of this text, bound to `values` in order. `sql` must be a constant: its address is the key.
  template <typename... Values>
  Query query(const char* sql, const Values&... values);

  std::int64_t integer(const char* sql);  // the one integer that a statement returns
  std::vector<std::byte> image();         // the whole database as its file would be
  bool in_transaction() const noexcept;
  std::int64_t changed_rows() const noexcept;  // by the last statement

 private:
  friend class Query;
  explicit Connection(sqlite3* handle) noexcept;
  static Connection open_handle(const char* name, int flags);
  sqlite3_stmt* prepared(const char* sql);
  void check(int code) const;
  void close() noexcept;

  struct Waiting;  // stays where it is when the connection moves: SQLite keeps its address

  sqlite3* handle_;
  std::unique_ptr<Waiting> waiting_;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
};

/// One execution of a statement: reset when it goes out of scope. Columns count from 0.
/// Views are valid until the next step(). Errors: SqliteError; a column of another type than asked for is damage.
class Query {
 public:
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  bool step();  // true: there is a row
  void run();   // for statements that return none

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  std::span<const std::byte> blob(int column) const;
  std::optional<std::int64_t> optional_integer(int column) const;

 private:
  friend class Connection;
  Query(Connection& connection, sqlite3_stmt* statement) noexcept : connection_(connection), statement_(statement) {}
  template <typename First, typename... Rest>
  Query(Connection& connection, sqlite3_stmt* statement, const First& first, const Rest&... rest)
      : Query(connection, statement) {  // delegating: the destructor runs if a bind throws
    bind(first);
    (bind(rest), ...);
  }
  void bind(std::int64_t value);
  void bind(double value);
  void bind(std::string_view value);
  void bind(std::span<const std::byte> value);
  void bind(const std::optional<std::int64_t>& value);
  void require_type(int column, int type) const;

  Connection& connection_;
  sqlite3_stmt* statement_;
  int bound_ = 0;
};

/// BEGIN IMMEDIATE takes the write lock at once, so that a transaction cannot fail half-way for want of it.
/// Rolled back by the destructor unless committed.
class Transaction {
 public:
  enum class Kind { write, read };
  explicit Transaction(Connection& connection, Kind kind = Kind::write);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Connection& connection_;
};

template <typename... Values>
Query Connection::query(const char* sql, const Values&... values) {
  return Query(*this, prepared(sql), values...);
}

}  // namespace kerntune::sqlite
