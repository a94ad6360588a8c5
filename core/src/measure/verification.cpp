// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <kerntune/core/device.hpp>

namespace kerntune {
namespace {

template <typename T>
void join(std::vector<T>& all, const std::vector<T>& more) {
  for (const T& one : more)
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

}  // namespace

void Verification::add(const Verification& other) {
  join(seeds, other.seeds);
  join(sizes, other.sizes);
  runs += other.runs;
  elements += other.elements;
  if (other.max_abs_error > max_abs_error) worst = other.worst;
  max_abs_error = std::max(max_abs_error, other.max_abs_error);
  max_rel_error = std::max(max_rel_error, other.max_rel_error);
  rel_l2_error = std::max(rel_l2_error, other.rel_l2_error);
  cosine = std::min(cosine, other.cosine);
  deterministic = deterministic && other.deterministic;
}

}  // namespace kerntune
