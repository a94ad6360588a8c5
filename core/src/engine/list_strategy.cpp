// SPDX-License-Identifier: Apache-2.0
#include "engine/list_strategy.hpp"

#include <set>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/search/rng.hpp>

namespace kerntune {
namespace {

constexpr search::Count kMostListed = 1'000'000;

class ListStrategy final : public search::Strategy {
 public:
  explicit ListStrategy(std::vector<search::Config> configs) : configs_(std::move(configs)) {}

  Proposal propose() override {
    while (next_ < configs_.size()) {
      const search::Config& config = configs_[next_++];
      if (known_.insert(config).second) return {Answer::config, config};
    }
    return {Answer::exhausted, {}};
  }
  void observe(const search::Config& config, const search::Feedback&) override { known_.insert(config); }
  std::string_view name() const noexcept override { return "list"; }

 private:
  std::vector<search::Config> configs_;
  std::size_t next_ = 0;
  std::set<search::Config> known_;
};

search::Config parsed(const SpecProgram& program, const std::string& text) {
  try {
    search::Config config = program.space().parse(text, program.default_config());
    if (program.space().contains(config)) return config;
  } catch (const search::SpaceError& error) {
    throw UsageError(fmt::format("list of configurations: '{}': {}", text, error.what()));
  }
  throw UsageError(fmt::format("list of configurations: '{}' violates a constraint", text));
}

}  // namespace

std::unique_ptr<search::Strategy> make_list_strategy(std::vector<search::Config> configs) {
  return std::make_unique<ListStrategy>(std::move(configs));
}

std::vector<search::Config> listed_configs(const SpecProgram& program, const std::vector<std::string>& texts,
                                           std::optional<std::uint64_t> order_seed) {
  const search::ParamSpace& space = program.space();
  std::vector<search::Config> configs;
  for (const std::string& text : texts) configs.push_back(parsed(program, text));
  if (texts.empty()) {
    if (space.count() > kMostListed)
      throw UsageError(
          fmt::format("order of configurations: the space has {}, at most {} can be put in an order; give a list",
                      search::to_string(space.count()), search::to_string(kMostListed)));
    for (search::Count i = 0; i < space.count(); ++i) configs.push_back(space.at(i));
  }
  if (!order_seed) return configs;
  search::Rng rng(*order_seed);
  for (std::size_t i = configs.size(); i > 1; --i) std::swap(configs[i - 1], configs[rng.below(i)]);
  return configs;
}

std::unique_ptr<search::Strategy> strategy_for(const TuneRequest& request, const SpecProgram& program) {
  if (request.order_seed || !request.configurations.empty())
    return make_list_strategy(listed_configs(program, request.configurations, request.order_seed));
  const std::string name = request.strategy.empty() ? std::string(search::default_strategy()) : request.strategy;
  return search::make_strategy(name, program.space(), request.seed);
}

}  // namespace kerntune
