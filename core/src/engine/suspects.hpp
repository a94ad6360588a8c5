// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include <kerntune/storage/records.hpp>

namespace kerntune {

/// Evaluations that were under way when earlier runs were killed. Such an evaluation is tried again, alone. A kill
/// proves nothing against it: workers are what dies of a configuration, not the supervisor. But what was there twice
/// when the whole machine went down, the second time alone, may well be the cause.
class Suspects {
 public:
  static constexpr int kMostDowns = 2;
  /// A started row of a run that is dead; `machine_down`: the machine was started again since.
  void add(const storage::EvaluationKey& key, bool machine_down);
  bool includes(const storage::EvaluationKey& key) const { return find(key) != nullptr; }
  /// True for what must not be run again unless asked for.
  bool blames(const storage::EvaluationKey& key) const;

 private:
  const int* find(const storage::EvaluationKey& key) const;

  std::map<std::string, int> downs_;  // by evaluation_id
};

}  // namespace kerntune
