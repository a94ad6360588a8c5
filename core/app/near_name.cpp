// SPDX-License-Identifier: Apache-2.0
#include "near_name.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace kerntune::app {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string_view without_dashes(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  return name;
}

}  // namespace

std::vector<std::string> near_names(std::string_view word, const std::vector<std::string>& known) {
  const std::string_view bare = without_dashes(word).substr(0, 64);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& name : known) {
    const std::string_view candidate = without_dashes(name);
    const std::size_t distance = edit_distance(bare, candidate);
    const bool prefix = bare.size() >= 2 && candidate.starts_with(bare);
    if (prefix || (distance <= std::max<std::size_t>(1, bare.size() / 3) && distance < candidate.size()))
      found.emplace_back(prefix ? 0 : distance, name);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < found.size() && i < 3; ++i) names.push_back(found[i].second);
  return names;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string> names = near_names(word, known);
  if (names.empty()) return {};
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view glue = i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += fmt::format("{}'{}'", glue, names[i]);
  }
  return fmt::format(" (did you mean {}?)", text);
}

}  // namespace kerntune::app
