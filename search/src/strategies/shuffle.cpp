// SPDX-License-Identifier: Apache-2.0
#include "shuffle.hpp"

namespace kerntune::search::detail {

std::optional<Count> Shuffle::next(Rng& rng) {
  if (left_ == 0) {
    return std::nullopt;
  }
  const Count place = rng.below128(left_);
  --left_;
  const auto at_end = moved_.extract(left_);
  const Count last = at_end ? at_end.mapped() : left_;
  if (place == left_) {
    return last;
  }
  const auto [entry, untouched] = moved_.try_emplace(place, last);
  if (untouched) {
    return place;
  }
  const Count drawn = entry->second;
  entry->second = last;
  return drawn;
}

}  // namespace kerntune::search::detail
