// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "store_connection.hpp"
#include "store_failure.hpp"

namespace kerntune::storage {
namespace {

constexpr char kInsert[] =
    "INSERT INTO run (run_id, started_unix_us, ended_unix_us, kernel, strategy, seed, command, host, version, outcome, "
    "device, "
    "spec) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
constexpr char kEnd[] = "UPDATE run SET ended_unix_us = ?2, outcome = ?3 WHERE run_id = ?1";
constexpr char kSelectRuns[] =
    "SELECT run_id, started_unix_us, ended_unix_us, kernel, strategy, seed, command, host, version, outcome, device, "
    "spec "
    "FROM run ORDER BY started_unix_us DESC, run_id";

RunRecord read_run(const sqlite::Query& row) {
  RunRecord run;
  run.run_id = row.text(0);
  run.started_unix_us = row.integer(1);
  run.ended_unix_us = row.optional_integer(2);
  run.kernel = row.text(3);
  run.strategy = row.text(4);
  run.seed = std::bit_cast<std::uint64_t>(row.integer(5));
  run.command = row.text(6);
  run.host = row.text(7);
  run.version = row.text(8);
  run.outcome = row.text(9);
  run.device_json = row.text(10);
  run.spec_json = row.text(11);
  return run;
}

}  // namespace

void ResultStore::begin_run(const RunRecord& run) {
  writing("store run '" + run.run_id + "' in", path_, [&] {
    sqlite::Transaction transaction(connection_->db);
    connection_->db
        .query(kInsert, run.run_id, run.started_unix_us, run.ended_unix_us, run.kernel, run.strategy,
               std::bit_cast<std::int64_t>(run.seed), run.command, run.host, run.version, run.outcome, run.device_json,
               run.spec_json)
        .run();
    transaction.commit();
  });
}

void ResultStore::end_run(const std::string& run_id, std::int64_t ended_unix_us, const std::string& outcome) {
  const std::string doing = "end run '" + run_id + "' in";
  writing(doing, path_, [&] {
    sqlite::Transaction transaction(connection_->db);
    connection_->db.query(kEnd, run_id, ended_unix_us, outcome).run();
    if (connection_->db.changed_rows() != 1) fail(doing, path_, "no such run; begin_run() stores one");
    transaction.commit();
  });
}

std::vector<RunRecord> ResultStore::runs() const {
  return reading("list the runs of", path_, [&] {
    std::vector<RunRecord> runs;
    auto rows = connection_->db.query(kSelectRuns);
    while (rows.step()) runs.push_back(read_run(rows));
    return runs;
  });
}

}  // namespace kerntune::storage
