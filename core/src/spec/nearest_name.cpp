// SPDX-License-Identifier: Apache-2.0
#include "spec/nearest_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace kerntune {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edit distance by rows, case ignored: insertions, deletions, replacements and swaps of neighbours count one each.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
  for (std::size_t i = 0; i < a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({row[j] + 1, last[j + 1] + 1, last[j] + (same(i, j) ? 0 : 1)});
      if (i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j)) row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
    }
  }
  return row.back();
}

constexpr std::size_t kLongestCompared = 64;  // keeps the cost of a hostile name bounded

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  if (name.size() > kLongestCompared) return best;
  for (const std::string_view candidate : candidates) {
    const std::size_t d = distance(name, candidate);
    if (d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  if (const std::string_view near = nearest_name(name, candidates); !near.empty())
    return fmt::format("; did you mean '{}'?", near);
  if (candidates.empty()) return "";
  return fmt::format("; known are {}", fmt::join(candidates, ", "));
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> candidates,
                                       std::size_t count) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : candidates)
    ranked.emplace_back(distance(name.substr(0, kLongestCompared), candidate), candidate);
  const std::size_t kept = std::min(count, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept), ranked.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kept; ++i) names.push_back(std::move(ranked[i].second));
  return names;
}

}  // namespace kerntune
