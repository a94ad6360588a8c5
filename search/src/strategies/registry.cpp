// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include <kerntune/search/strategy.hpp>

#include "makers.hpp"

namespace kerntune::search {
namespace {

using Maker = std::unique_ptr<Strategy> (*)(ParamSpace space, std::uint64_t seed);

// Infos and makers in the same order.
constexpr std::array kInfos = {
    StrategyInfo{"exhaustive", "every configuration, in index order"},
    StrategyInfo{"random", "uniformly at random, each configuration once"},
    StrategyInfo{"local", "iterated local search: first improvement over one-parameter changes, then a kick"},
    StrategyInfo{"model", "a Gaussian process of the results chooses among neighbours of the best and random picks"},
};
constexpr std::array<Maker, kInfos.size()> kMakers = {detail::make_exhaustive, detail::make_random, detail::make_local,
                                                      detail::make_model};

std::string known_names() {
  std::string names;
  for (const StrategyInfo& info : kInfos) {
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  }
  return names;
}

}  // namespace

std::span<const StrategyInfo> strategies() noexcept { return kInfos; }

// docs/strategies.md has the figures.
std::string_view default_strategy() noexcept { return "model"; }

std::unique_ptr<Strategy> make_strategy(std::string_view name, ParamSpace space, std::uint64_t seed) {
  const auto found = std::ranges::find(kInfos, name, &StrategyInfo::name);
  if (found == kInfos.end()) {
    throw SpaceError("no search strategy is called '" + std::string(name) + "'; there are " + known_names());
  }
  if (space.empty()) {
    throw SpaceError("strategy '" + std::string(name) +
                     "' has nothing to search: no configuration of the space is valid");
  }
  return kMakers[static_cast<std::size_t>(found - kInfos.begin())](std::move(space), seed);
}

}  // namespace kerntune::search
