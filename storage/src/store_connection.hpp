// SPDX-License-Identifier: Apache-2.0
// What is behind ResultStore; its functions are spread over store_*.cpp by the table they serve.
#pragma once

#include <cstdint>
#include <utility>

#include <kerntune/storage/result_store.hpp>

#include "content_digest.hpp"
#include "sqlite_db.hpp"

namespace kerntune::storage {

struct ResultStore::Connection {
  explicit Connection(sqlite::Connection opened) noexcept : db(std::move(opened)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  sqlite::Connection db;

  /// The row of the texts that `key` shares with others; made if absent. Requires a write transaction.
  std::int64_t context_of(const EvaluationKey& key);
  void store_started(const StartedRecord& row);
};

/// Of a SELECT whose first seven columns are kernel, device_class, dims, code_digest, toolchain, policy and config.
EvaluationKey read_context_and_config(const sqlite::Query& row);

/// The part of a final that is the context of an evaluation; its config is left empty.
EvaluationKey context_key(const FinalRecord& record);

}  // namespace kerntune::storage
