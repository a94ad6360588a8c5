// SPDX-License-Identifier: Apache-2.0
#include "engine/decision.hpp"

#include <algorithm>
#include <tuple>

namespace kerntune {
namespace {

auto order_among_ties(const Standing& s) { return std::tie(s.regs, s.shared_bytes, s.text); }

/// Places of the challengers, first choice first. The leader is always one.
std::vector<std::size_t> challengers(const std::vector<Standing>& standings) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const Standing& s = standings[i];
    if (!s.round_ns.empty() && s.tie && s.ratio <= 1 + kPickMargin) places.push_back(i);
  }
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return order_among_ties(standings[a]) < order_among_ties(standings[b]);
  });
  return places;
}

std::optional<std::size_t> find_incumbent(const std::vector<Standing>& standings) {
  for (std::size_t i = 0; i < standings.size(); ++i)
    if (standings[i].incumbent && !standings[i].round_ns.empty()) return i;
  return std::nullopt;
}

}  // namespace

std::optional<Decision> decide(const std::vector<Standing>& standings, double sigma, const ConfirmPolicy& policy) {
  const std::vector<std::size_t> candidates = challengers(standings);
  if (candidates.empty()) return std::nullopt;
  const auto incumbent = find_incumbent(standings);
  if (!incumbent) return Decision{candidates.front(), std::nullopt};
  std::optional<Decision::Defence> defence;
  for (const std::size_t challenger : candidates) {
    if (challenger == *incumbent) continue;
    const auto against =
        compare_rounds(standings[*incumbent].round_ns, standings[challenger].round_ns, sigma, standings.size(), policy);
    const bool wins = against.interval.low > 1 + policy.tie_margin;
    if (!defence || wins || against.ratio > defence->ratio)
      defence = {*incumbent, challenger, against.ratio, against.interval, wins};
    if (wins) return Decision{challenger, defence};
  }
  return Decision{*incumbent, defence};
}

}  // namespace kerntune
