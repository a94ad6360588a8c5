// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "proof.hpp"
#include "row_check.hpp"
#include "samples.hpp"
#include "store_connection.hpp"
#include "store_failure.hpp"

namespace kerntune::storage {
namespace {

const std::string kSelectEvaluations =
    "SELECT c.kernel, c.device_class, c.dims, c.code_digest, c.toolchain, c.policy, e.config, e.id, e.status, "
    "e.median_ns, "
    "e.started_unix_us, e.wall_us, e.run_id, e.reason, e.verified, e.reference_digest, e.row_check, e.message, "
    "e.facts, "
    "e.compile, e.samples_ns, e.proven, e.verification FROM evaluation AS e JOIN context AS c ON c.id = e.context ";
const std::string kFindEvaluation = kSelectEvaluations + "WHERE e.id = ?1";
const std::string kOfContext = kSelectEvaluations +
                               "WHERE c.kernel = ?1 AND c.device_class = ?2 AND c.dims = ?3 AND c.code_digest = ?4 "
                               "AND c.toolchain = ?5 AND c.policy = ?6 ORDER BY e.config";
const std::string kRecent =
    kSelectEvaluations + "WHERE ?1 = '' OR c.kernel = ?1 ORDER BY e.started_unix_us DESC, e.id LIMIT ?2";
constexpr char kStoreEvaluation[] =
    "INSERT INTO evaluation (id, context, config, status, median_ns, started_unix_us, wall_us, run_id, reason, "
    "verified, "
    "reference_digest, row_check, message, facts, compile, samples_ns, proven, verification) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18) "
    "ON CONFLICT (id) DO UPDATE SET status = excluded.status, median_ns = excluded.median_ns, "
    "started_unix_us = excluded.started_unix_us, wall_us = excluded.wall_us, run_id = excluded.run_id, "
    "reason = excluded.reason, verified = excluded.verified, reference_digest = excluded.reference_digest, "
    "row_check = excluded.row_check, message = excluded.message, facts = excluded.facts, compile = excluded.compile, "
    "samples_ns = excluded.samples_ns, proven = excluded.proven, verification = excluded.verification";
// What the triggers do for other programs; this library runs with triggers off.
constexpr char kWithdrawTies[] =
    "DELETE FROM final_tie WHERE final_id IN (SELECT id FROM final WHERE context = ?1 AND config = ?2)";
constexpr char kWithdraw[] = "DELETE FROM final WHERE context = ?1 AND config = ?2";
constexpr char kFinish[] = "DELETE FROM started WHERE id = ?1";

constexpr std::array<std::string_view, 3> kStatusNames = {"measured", "slower", "rejected"};  // in Status's order

std::string_view name_of(Status status) { return kStatusNames.at(static_cast<std::size_t>(status)); }

Status status_named(std::string_view name) {
  const auto* const at = std::find(kStatusNames.begin(), kStatusNames.end(), name);
  if (at == kStatusNames.end())
    sqlite::throw_damaged("an evaluation has the unknown status '" + std::string(name) + "'");
  return static_cast<Status>(at - kStatusNames.begin());
}

// Everything but the key, which the id covers.
std::int64_t row_check(const EvaluationRecord& r) {
  RowCheck check;
  check.add(name_of(r.status)).add(r.median_ns).add(r.started_unix_us).add(r.wall_us).add(r.run_id).add(r.reason);
  check.add(r.verified).add(r.reference_digest).add(r.message).add(r.facts_json).add(r.compile_json);
  check.add(static_cast<std::int64_t>(r.samples_ns.size()));
  for (const double sample : r.samples_ns) check.add(sample);
  check.add(std::int64_t{r.proven}).add(r.verification_json);
  return check.value();
}

EvaluationRecord read_evaluation(const sqlite::Query& row) {
  EvaluationRecord record;
  record.key = read_context_and_config(row);
  record.status = status_named(row.text(8));
  record.median_ns = row.real(9);
  record.started_unix_us = row.integer(10);
  record.wall_us = row.integer(11);
  record.run_id = row.text(12);
  record.reason = row.text(13);
  record.verified = row.text(14);
  record.reference_digest = row.text(15);
  record.message = row.text(17);
  record.facts_json = row.text(18);
  record.compile_json = row.text(19);
  record.samples_ns = decode_samples(row.blob(20));
  record.proven = row.integer(21) != 0;
  record.verification_json = row.text(22);
  if (!std::ranges::equal(row.blob(7), evaluation_digest(record.key)) || row.integer(16) != row_check(record)) {
    sqlite::throw_damaged("the evaluation of '" + record.key.config + "' of kernel '" + record.key.kernel +
                          "' does not match its checks");
  }
  return record;
}

void require_sound(const EvaluationRecord& record, const std::string& path) {
  const std::string doing = "store the evaluation of '" + record.key.config + "' in";
  const auto is_time = [](double value) { return std::isfinite(value) && value >= 0; };
  if (!is_time(record.median_ns) || !std::ranges::all_of(record.samples_ns, is_time)) {
    fail(doing, path, "a time is negative or not a number; nothing was stored, the measurement is at fault");
  }
  const bool rejected = record.status == Status::rejected;
  if ((record.proven && !is_proof(record.verified)) || (rejected && record.verified != "no")) {
    fail(doing, path,
         "it is " + std::string(name_of(record.status)) + ", verified '" + record.verified + "'" +
             (record.proven ? " and proven" : "") + ", which contradict each other; nothing was stored");
  }
}

void store(sqlite::Connection& db, std::int64_t context, const EvaluationRecord& r) {
  const Digest id = evaluation_digest(r.key);
  db.query(kStoreEvaluation, id, context, r.key.config, name_of(r.status), r.median_ns, r.started_unix_us, r.wall_us,
           r.run_id, r.reason, r.verified, r.reference_digest, row_check(r), r.message, r.facts_json, r.compile_json,
           encode_samples(r.samples_ns), std::int64_t{r.proven}, r.verification_json)
      .run();
  if (!r.proven) {
    db.query(kWithdrawTies, context, r.key.config).run();
    db.query(kWithdraw, context, r.key.config).run();
  }
  db.query(kFinish, id).run();
}

}  // namespace

void ResultStore::commit(std::span<const EvaluationRecord> finished, std::span<const StartedRecord> started) {
  for (const EvaluationRecord& record : finished) require_sound(record, path_);
  writing("store evaluations in", path_, [&] {
    sqlite::Connection& db = connection_->db;
    sqlite::Transaction transaction(db);
    for (const EvaluationRecord& record : finished) store(db, connection_->context_of(record.key), record);
    for (const StartedRecord& row : started) connection_->store_started(row);
    transaction.commit();
  });
}

std::optional<EvaluationRecord> ResultStore::find(const EvaluationKey& key) const {
  return reading("read", path_, [&]() -> std::optional<EvaluationRecord> {
    auto row = connection_->db.query(kFindEvaluation.c_str(), evaluation_digest(key));
    if (!row.step()) return std::nullopt;
    return read_evaluation(row);
  });
}

std::vector<EvaluationRecord> ResultStore::evaluations(const EvaluationKey& k) const {
  return reading("read", path_, [&] {
    std::vector<EvaluationRecord> found;
    auto rows = connection_->db.query(kOfContext.c_str(), k.kernel, k.device_class, k.dims, k.code_digest, k.toolchain,
                                      k.policy);
    while (rows.step()) found.push_back(read_evaluation(rows));
    return found;
  });
}

std::vector<EvaluationRecord> ResultStore::recent(const std::string& kernel, std::size_t limit) const {
  constexpr std::size_t kMost = std::numeric_limits<std::int64_t>::max();
  return reading("read", path_, [&] {
    std::vector<EvaluationRecord> found;
    auto rows = connection_->db.query(kRecent.c_str(), kernel, static_cast<std::int64_t>(std::min(limit, kMost)));
    while (rows.step()) found.push_back(read_evaluation(rows));
    return found;
  });
}

}  // namespace kerntune::storage
