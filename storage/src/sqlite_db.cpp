// SPDX-License-Identifier: Apache-2.0
#include "sqlite_db.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

namespace kerntune::sqlite {
namespace {

std::string describe(sqlite3* handle, int code) {
  std::string text = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  const int primary = code & 0xff;
  const bool from_system = primary == SQLITE_CANTOPEN || primary == SQLITE_IOERR || primary == SQLITE_FULL;
  if (const int error = handle && from_system ? sqlite3_system_errno(handle) : 0) {
    text += std::string(" (") + std::strerror(error) + ")";
  }
  return text;
}

// Nothing stored in a file may run code or reach outside it.
void harden(sqlite3* handle) {
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
}

}  // namespace

Cause SqliteError::cause() const noexcept {
  if (code_ == SQLITE_READONLY_ROLLBACK || code_ == SQLITE_READONLY_RECOVERY) return Cause::hot_journal;
  switch (code_ & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Cause::busy;
    case SQLITE_FULL:
      return Cause::full;
    case SQLITE_READONLY:
      return Cause::read_only;
    case SQLITE_CANTOPEN:
      return Cause::cannot_open;
    case SQLITE_IOERR:
      return Cause::io;
    case SQLITE_CORRUPT:
      return Cause::damaged;
    case SQLITE_NOTADB:
      return Cause::not_a_database;
    case SQLITE_CONSTRAINT:
      return Cause::constraint;
    default:
      return Cause::other;
  }
}

void throw_damaged(const std::string& what) { throw SqliteError(SQLITE_CORRUPT, what); }

struct Connection::Waiting {
  Patience patience;
  std::chrono::steady_clock::time_point since;
};

Connection::Connection(sqlite3* handle) noexcept : handle_(handle) {}

Connection Connection::open_handle(const char* name, int flags) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  Connection connection(handle);
  if (code != SQLITE_OK) throw SqliteError(code, describe(handle, code));
  harden(handle);
  return connection;
}

Connection Connection::open(const std::string& path, Access access, std::chrono::milliseconds busy_timeout) {
  const int flags = access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  // SQLite reads "file:x" as a URI and ":memory:" as no file; "./" before a relative path makes every name a name.
  const std::string name = path.starts_with('/') ? path : "./" + path;
  Connection connection = open_handle(name.c_str(), flags);
  sqlite3_busy_timeout(connection.handle_, static_cast<int>(busy_timeout.count()));  // before anything takes a lock
  connection.exec("PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0");
  if (access == Access::read_write && sqlite3_db_readonly(connection.handle_, "main") == 1) {
    throw SqliteError(SQLITE_READONLY, "the file is not writable");
  }
  return connection;
}

void Connection::wait_with(Patience patience) {
  waiting_ = std::make_unique<Waiting>(Waiting{std::move(patience), {}});
  const auto ask = [](void* context, int asked_before) noexcept -> int {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kShortest{1}, kLongest{50};
    auto& waiting = *static_cast<Waiting*>(context);
    if (asked_before == 0) waiting.since = Clock::now();
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - waiting.since);
    try {
      if (!waiting.patience(waited)) return 0;
    } catch (...) {  // it must not cross SQLite
      return 0;
    }
    std::this_thread::sleep_for(std::clamp(waited / 4, kShortest, kLongest));
    return 1;
  };
  check(sqlite3_busy_handler(handle_, ask, waiting_.get()));
}

Connection Connection::in_memory() { return open_handle(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY); }

Connection Connection::over(std::span<std::byte> image) {
  Connection connection = in_memory();
  connection.check(sqlite3_deserialize(connection.handle_, "main", reinterpret_cast<unsigned char*>(image.data()),
                                       static_cast<sqlite3_int64>(image.size()),
                                       static_cast<sqlite3_int64>(image.size()), SQLITE_DESERIALIZE_READONLY));
  connection.exec("PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY");
  return connection;
}

Connection::Connection(Connection&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      waiting_(std::move(other.waiting_)),
      statements_(std::move(other.statements_)) {
  other.statements_.clear();
}

Connection& Connection::operator=(Connection&& other) noexcept {
  if (this != &other) {
    close();
    handle_ = std::exchange(other.handle_, nullptr);
    waiting_ = std::move(other.waiting_);
    statements_ = std::move(other.statements_);
    other.statements_.clear();
  }
  return *this;
}

Connection::~Connection() { close(); }

void Connection::close() noexcept {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  statements_.clear();
  sqlite3_close_v2(std::exchange(handle_, nullptr));
}

void Connection::check(int code) const {
  if (code != SQLITE_OK) throw SqliteError(code, describe(handle_, code));
}

void Connection::exec(const std::string& sql) { check(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr)); }

sqlite3_stmt* Connection::prepared(const char* sql) {
  sqlite3_stmt*& statement = statements_[sql];
  if (!statement) {
    check(sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
  }
  return statement;
}

std::int64_t Connection::integer(const char* sql) {
  Query query(*this, prepared(sql));
  if (!query.step()) throw_damaged(std::string("no answer to ") + sql);
  return query.integer(0);
}

std::vector<std::byte> Connection::image() {
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> bytes(sqlite3_serialize(handle_, "main", &size, 0),
                                                                      &sqlite3_free);
  if (!bytes) throw SqliteError(SQLITE_NOMEM, "out of memory");
  const auto* first = reinterpret_cast<const std::byte*>(bytes.get());
  return {first, first + size};
}

bool Connection::in_transaction() const noexcept { return handle_ && sqlite3_get_autocommit(handle_) == 0; }

std::int64_t Connection::changed_rows() const noexcept { return sqlite3_changes64(handle_); }

Query::~Query() {
  sqlite3_reset(statement_);  // repeats the error that step() has already thrown
  sqlite3_clear_bindings(statement_);
}

bool Query::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  throw SqliteError(code, describe(connection_.handle_, code));
}

void Query::run() {
  while (step()) {
  }
}

void Query::bind(std::int64_t value) { connection_.check(sqlite3_bind_int64(statement_, ++bound_, value)); }

void Query::bind(double value) { connection_.check(sqlite3_bind_double(statement_, ++bound_, value)); }

void Query::bind(std::string_view value) {
  const char* data = value.data() ? value.data() : "";
  connection_.check(sqlite3_bind_text64(statement_, ++bound_, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Query::bind(std::span<const std::byte> value) {
  const void* data = value.data() ? static_cast<const void*>(value.data()) : "";
  connection_.check(sqlite3_bind_blob64(statement_, ++bound_, data, value.size(), SQLITE_TRANSIENT));
}

void Query::bind(const std::optional<std::int64_t>& value) {
  if (value) return bind(*value);
  connection_.check(sqlite3_bind_null(statement_, ++bound_));
}

void Query::require_type(int column, int type) const {
  if (sqlite3_column_type(statement_, column) == type) return;
  throw_damaged(std::string("column ") + sqlite3_column_name(statement_, column) + " holds a value of another type");
}

std::int64_t Query::integer(int column) const {
  require_type(column, SQLITE_INTEGER);
  return sqlite3_column_int64(statement_, column);
}

double Query::real(int column) const {
  require_type(column, SQLITE_FLOAT);
  return sqlite3_column_double(statement_, column);
}

std::string_view Query::text(int column) const {
  require_type(column, SQLITE_TEXT);
  const auto* data = sqlite3_column_text(statement_, column);
  if (!data) throw SqliteError(SQLITE_NOMEM, "out of memory");
  return {reinterpret_cast<const char*>(data), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::span<const std::byte> Query::blob(int column) const {
  require_type(column, SQLITE_BLOB);
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::optional<std::int64_t> Query::optional_integer(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return integer(column);
}

Transaction::Transaction(Connection& connection, Kind kind) : connection_(connection) {
  connection_.query(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN").run();
}

void Transaction::commit() { connection_.query("COMMIT").run(); }

Transaction::~Transaction() {
  if (!connection_.in_transaction()) return;  // committed, or SQLite has already rolled back
  try {
    connection_.query("ROLLBACK").run();
  } catch (const SqliteError&) {
    // The journal stays hot: whoever opens the file next rolls back.
  }
}

}  // namespace kerntune::sqlite
