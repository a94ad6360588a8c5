// SPDX-License-Identifier: Apache-2.0
#include "engine/suspects.hpp"

namespace kerntune {

Suspects::Suspects(const std::vector<storage::StartedRecord>& rows) {
  for (const storage::StartedRecord& row : rows) ++kills_[storage::evaluation_id(row.key)];
}

int Suspects::kills(const storage::EvaluationKey& key) const {
  if (kills_.empty()) return 0;
  const auto found = kills_.find(storage::evaluation_id(key));
  return found == kills_.end() ? 0 : found->second;
}

}  // namespace kerntune
