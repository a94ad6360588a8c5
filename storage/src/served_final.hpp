// SPDX-License-Identifier: Apache-2.0
// The part of a final that production reads, shared by the writer, who signs it, and the reader, who checks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sqlite_db.hpp"

namespace kerntune::storage {

/// Borrows from the record or the row it was made of.
struct ServedFinal {
  std::string_view kernel, device_class, other_dims, policy;  // what is asked for
  std::int64_t batch = 0;
  std::string_view code_digest, toolchain, space_digest, reference_digest;  // which of several answers is right
  std::int64_t finished_unix_us = 0;
  std::span<const std::byte> id;
  std::string_view config, default_config;  // the answer
  double time_ns = 0;
  std::string_view verified;
};

/// final.served_check.
std::int64_t served_check(const ServedFinal& served) noexcept;

/// Reads the served columns of all winners, history included, in no order: through the table alone, so that a damaged
/// index cannot hide a row.
class ServedFinals {
 public:
  explicit ServedFinals(sqlite::Connection& db);
  bool step() { return rows_.step(); }
  /// Errors: SqliteError (damage) if the row is not as it was written, or no proven evaluation stands behind it. Views
  /// are valid until step().
  ServedFinal row() const;

 private:
  sqlite::Query rows_;
};

}  // namespace kerntune::storage
