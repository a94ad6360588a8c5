// SPDX-License-Identifier: Apache-2.0
#include "store_connection.hpp"

namespace kerntune::storage {
namespace {

constexpr char kFindContext[] =
    "SELECT id FROM context WHERE kernel = ?1 AND device_class = ?2 AND dims = ?3 AND code_digest = ?4 AND toolchain = "
    "?5 "
    "AND policy = ?6";
constexpr char kAddContext[] =
    "INSERT INTO context (kernel, device_class, dims, code_digest, toolchain, policy) VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
    "RETURNING id";

}  // namespace

std::int64_t ResultStore::Connection::context_of(const EvaluationKey& k) {
  {
    auto known = db.query(kFindContext, k.kernel, k.device_class, k.dims, k.code_digest, k.toolchain, k.policy);
    if (known.step()) return known.integer(0);
  }
  auto added = db.query(kAddContext, k.kernel, k.device_class, k.dims, k.code_digest, k.toolchain, k.policy);
  added.step();
  const std::int64_t id = added.integer(0);
  added.run();  // to its end: a statement with rows left would keep the transaction from committing
  return id;
}

EvaluationKey read_context_and_config(const sqlite::Query& row) {
  EvaluationKey key;
  key.kernel = row.text(0);
  key.device_class = row.text(1);
  key.dims = row.text(2);
  key.code_digest = row.text(3);
  key.toolchain = row.text(4);
  key.policy = row.text(5);
  key.config = row.text(6);
  return key;
}

}  // namespace kerntune::storage
