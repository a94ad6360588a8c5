// SPDX-License-Identifier: Apache-2.0
// What golden/v1.db holds. A released schema's content never changes; a new schema gets a file and a content of its
// own.
#pragma once

#include <vector>

#include <kerntune/storage/records.hpp>

#include "support/sample_records.hpp"

namespace kerntune::testing {

inline std::vector<storage::EvaluationRecord> golden_evaluations() {
  std::vector<storage::EvaluationRecord> records = {sample_evaluation("tile=1"), sample_evaluation("tile=2"),
                                                    sample_evaluation("tile=3")};
  records[1].status = storage::Status::slower;
  records[1].proven = false;
  records[2].status = storage::Status::rejected;
  records[2].reason = "compile_error";
  records[2].message = "line 3: no such identifier";
  records[2].median_ns = 0;
  records[2].samples_ns.clear();
  records[2].verified = "no";
  records[2].proven = false;
  records[2].verification_json = "{}";
  return records;
}

inline storage::StartedRecord golden_started() { return sample_started("tile=4", "run-a"); }

inline storage::RunRecord golden_run() {
  storage::RunRecord run = sample_run("run-a");
  run.ended_unix_us = run.started_unix_us + 1'000'000;
  run.outcome = "interrupted";
  return run;
}

inline std::vector<storage::FinalRecord> golden_finals() {
  std::vector<storage::FinalRecord> finals = {sample_final(8, 10.5), sample_final(64, 20.25)};
  finals[1].unresolved = true;
  return finals;
}

/// An earlier winner at batch 64, which is history.
inline storage::FinalRecord golden_history() {
  storage::FinalRecord record = sample_final(64, 30);
  record.config = "tile=1";
  record.finished_unix_us -= 1;
  return record;
}

}  // namespace kerntune::testing
