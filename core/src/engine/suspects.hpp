// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <kerntune/storage/records.hpp>

namespace kerntune {

/// Evaluations that were under way when earlier runs were killed. One kill proves nothing: such an evaluation is tried
/// again, alone. But what was there at kMostKills of them may be what takes runs, or machines, down.
class Suspects {
 public:
  static constexpr int kMostKills = 3;
  Suspects() = default;
  /// `rows`: the started rows of runs that are dead.
  explicit Suspects(const std::vector<storage::StartedRecord>& rows);
  /// Killed runs that were at this evaluation.
  int kills(const storage::EvaluationKey& key) const;

 private:
  std::map<std::string, int> kills_;  // by evaluation_id
};

}  // namespace kerntune
