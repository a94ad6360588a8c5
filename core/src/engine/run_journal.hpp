// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kerntune/core/tuner.hpp>
#include <kerntune/storage/result_store.hpp>

#include "engine/context.hpp"
#include "engine/suspects.hpp"

namespace kerntune {

/// The run's own row in the store, and the traces that killed runs left there: an evaluation's goes when it is stored.
class RunJournal {
 public:
  RunJournal(storage::ResultStore& store, const TuneRequest& request, const TuningContext& context);
  /// A run that was not ended says so.
  ~RunJournal();
  RunJournal(const RunJournal&) = delete;
  RunJournal& operator=(const RunJournal&) = delete;

  void end(const std::string& outcome);
  const std::string& run_id() const noexcept { return run_id_; }
  const std::vector<std::string>& warnings() const noexcept { return warnings_; }
  /// What killed runs left behind. Rows of runs that may still be going are not among them.
  const Suspects& suspects() const noexcept { return suspects_; }

 private:
  void find_suspects();
  void clear_own();

  storage::ResultStore& store_;
  std::string run_id_;
  std::vector<std::string> warnings_;
  Suspects suspects_;
  bool ended_ = false;
};

}  // namespace kerntune
