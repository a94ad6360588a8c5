// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "proof.hpp"
#include "served_final.hpp"
#include "store_connection.hpp"
#include "store_failure.hpp"

namespace kerntune::storage {
namespace {

constexpr char kStoreFinal[] =
    "INSERT INTO final (id, context, space_digest, reference_digest, finished_unix_us, other_dims, batch_dim, batch, "
    "config, "
    "default_config, time_ns, default_time_ns, speedup, speedup_low, speedup_high, verified, unresolved, run_id, "
    "served_check, "
    "verification, details) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
    "?19, ?20, ?21) "
    "ON CONFLICT (id) DO NOTHING";
constexpr char kStoreTie[] =
    "INSERT INTO final_tie (final_id, position, config) VALUES (?1, ?2, ?3) ON CONFLICT (final_id, position) DO "
    "NOTHING";
// A winner without a proven evaluation is none, whatever the row says.
constexpr char kSelectFinals[] =
    "WITH proven AS (SELECT f.* FROM final AS f WHERE f.verified IN ('reference', 'against_default', 'recorded') "
    "AND EXISTS (SELECT 1 FROM evaluation AS e WHERE e.context = f.context AND e.config = f.config AND e.proven = 1)) "
    "SELECT c.kernel, c.device_class, c.dims, c.code_digest, c.toolchain, c.policy, f.id, f.space_digest, "
    "f.reference_digest, f.finished_unix_us, f.other_dims, f.batch_dim, f.batch, f.config, f.default_config, "
    "f.time_ns, f.default_time_ns, f.speedup, f.speedup_low, f.speedup_high, f.verified, f.unresolved, f.run_id, "
    "f.details, f.verification "
    "FROM proven AS f JOIN context AS c ON c.id = f.context WHERE (?1 = '' OR c.kernel = ?1) "
    "AND NOT EXISTS (SELECT 1 FROM proven AS newer WHERE newer.context = f.context "
    "AND newer.space_digest = f.space_digest AND newer.reference_digest = f.reference_digest "
    "AND (newer.finished_unix_us, newer.id) > (f.finished_unix_us, f.id)) "
    "ORDER BY c.kernel, f.other_dims, c.device_class, f.batch, c.policy, c.toolchain, f.finished_unix_us, f.id";
constexpr char kProof[] =
    "SELECT verified, proven, reference_digest FROM evaluation WHERE context = ?1 AND config = ?2";
constexpr char kTies[] = "SELECT config FROM final_tie WHERE final_id = ?1 ORDER BY position";

void require_sound(const FinalRecord& record, const std::string& path) {
  const double times[] = {record.time_ns, record.default_time_ns, record.speedup, record.speedup_low,
                          record.speedup_high};
  const bool sound = std::ranges::all_of(times, [](double value) { return std::isfinite(value) && value >= 0; });
  const std::string doing = "store the winner of kernel '" + record.kernel + "' in";
  if (!sound) fail(doing, path, "a time or a ratio is negative or not a number; nothing was stored");
  if (record.batch < 1) {
    fail(doing, path, "batch " + std::to_string(record.batch) + " is below 1; nothing was stored");
  }
  if (!is_proof(record.verified)) {
    fail(doing, path, "its output was not verified ('" + record.verified + "'); nothing was stored");
  }
}

/// The trigger final_needs_proof says the same to those who write without this library.
void require_proof(sqlite::Connection& db, std::int64_t context, const FinalRecord& r, const std::string& path) {
  const auto refuse = [&](const std::string& problem) {
    fail("store the winner of kernel '" + r.kernel + "' in", path,
         "the evaluation of '" + r.config + "' at " + r.dims + " " + problem + "; nothing was stored");
  };
  auto proof = db.query(kProof, context, r.config);
  if (!proof.step()) refuse("is not in the store, and nothing else proves that its output is right");
  if (proof.integer(1) != 1) refuse("has not passed the whole verification");
  if (proof.text(0) != r.verified || proof.text(2) != r.reference_digest) {
    refuse("was verified with another reference than the winner");
  }
}

std::int64_t served_check_of(const FinalRecord& r, const Digest& id) {
  return served_check({.kernel = r.kernel,
                       .device_class = r.device_class,
                       .other_dims = r.other_dims,
                       .policy = r.policy,
                       .batch = r.batch,
                       .code_digest = r.code_digest,
                       .toolchain = r.toolchain,
                       .space_digest = r.space_digest,
                       .reference_digest = r.reference_digest,
                       .finished_unix_us = r.finished_unix_us,
                       .id = id,
                       .config = r.config,
                       .default_config = r.default_config,
                       .time_ns = r.time_ns,
                       .verified = r.verified});
}

FinalRecord read_final(const sqlite::Query& row) {
  FinalRecord r;
  r.kernel = row.text(0);
  r.device_class = row.text(1);
  r.dims = row.text(2);
  r.code_digest = row.text(3);
  r.toolchain = row.text(4);
  r.policy = row.text(5);
  r.space_digest = row.text(7);
  r.reference_digest = row.text(8);
  r.finished_unix_us = row.integer(9);
  r.other_dims = row.text(10);
  r.batch_dim = row.text(11);
  r.batch = row.integer(12);
  r.config = row.text(13);
  r.default_config = row.text(14);
  r.time_ns = row.real(15);
  r.default_time_ns = row.real(16);
  r.speedup = row.real(17);
  r.speedup_low = row.real(18);
  r.speedup_high = row.real(19);
  r.verified = row.text(20);
  r.unresolved = row.integer(21) != 0;
  r.run_id = row.text(22);
  r.details_json = row.text(23);
  r.verification_json = row.text(24);
  return r;
}

void require_intact(const FinalRecord& record, std::span<const std::byte> id) {
  if (std::ranges::equal(id, final_digest(record))) return;
  sqlite::throw_damaged("the winner of kernel '" + record.kernel + "' at batch " + std::to_string(record.batch) +
                        " does not match its digest");
}

}  // namespace

EvaluationKey context_key(const FinalRecord& r) {
  return {.kernel = r.kernel,
          .code_digest = r.code_digest,
          .config = {},
          .dims = r.dims,
          .device_class = r.device_class,
          .toolchain = r.toolchain,
          .policy = r.policy};
}

void ResultStore::record_final(const FinalRecord& r) {
  require_sound(r, path_);
  writing("store a winner in", path_, [&] {
    sqlite::Connection& db = connection_->db;
    const Digest id = final_digest(r);
    sqlite::Transaction transaction(db);
    const std::int64_t context = connection_->context_of(context_key(r));
    require_proof(db, context, r, path_);
    db.query(kStoreFinal, id, context, r.space_digest, r.reference_digest, r.finished_unix_us, r.other_dims,
             r.batch_dim, r.batch, r.config, r.default_config, r.time_ns, r.default_time_ns, r.speedup, r.speedup_low,
             r.speedup_high, r.verified, std::int64_t{r.unresolved}, r.run_id, served_check_of(r, id),
             r.verification_json, r.details_json)
        .run();
    std::int64_t position = 0;
    for (const std::string& tie : r.ties) db.query(kStoreTie, id, position++, tie).run();
    transaction.commit();
  });
}

std::vector<FinalRecord> ResultStore::finals(const std::string& kernel) const {
  return reading("read the winners of", path_, [&] {
    sqlite::Connection& db = connection_->db;
    std::vector<FinalRecord> finals;
    const sqlite::Transaction one_state(db, sqlite::Transaction::Kind::read);  // winners and their ties
    auto rows = db.query(kSelectFinals, kernel);
    while (rows.step()) {
      FinalRecord record = read_final(rows);
      auto ties = db.query(kTies, rows.blob(6));
      while (ties.step()) record.ties.emplace_back(ties.text(0));
      require_intact(record, rows.blob(6));
      finals.push_back(std::move(record));
    }
    return finals;
  });
}

}  // namespace kerntune::storage
