// SPDX-License-Identifier: Apache-2.0
#include "engine/suspects.hpp"

namespace kerntune {

void Suspects::add(const storage::EvaluationKey& key, bool machine_down) {
  downs_[storage::evaluation_id(key)] += machine_down ? 1 : 0;
}

const int* Suspects::find(const storage::EvaluationKey& key) const {
  if (downs_.empty()) return nullptr;
  const auto found = downs_.find(storage::evaluation_id(key));
  return found == downs_.end() ? nullptr : &found->second;
}

bool Suspects::blames(const storage::EvaluationKey& key) const {
  const int* downs = find(key);
  return downs != nullptr && *downs >= kMostDowns;
}

}  // namespace kerntune
