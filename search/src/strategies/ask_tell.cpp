// SPDX-License-Identifier: Apache-2.0
#include "ask_tell.hpp"

#include <utility>

namespace kerntune::search::detail {

std::size_t ConfigHash::operator()(const Config& config) const noexcept {
  std::uint64_t hash = config.size();
  for (const std::uint32_t value : config) {
    hash = mix(hash, value);
  }
  return hash;
}

AskTell::AskTell(std::string_view name, ParamSpace space, std::uint64_t seed)
    : name_(name), space_(std::move(space)), rng_(seed), order_(space_.count()) {}

Strategy::Proposal AskTell::propose() {
  if (known_.size() == space_.count()) {
    return {Answer::exhausted, {}};
  }
  Proposal proposal = {Answer::config, choose()};
  known_.insert(proposal.config);
  return proposal;
}

void AskTell::observe(const Config& config, const Feedback& feedback) {
  if (!space_.contains(config)) {
    return;  // a stored result from before a constraint was tightened
  }
  known_.insert(config);
  learn(config, feedback);
}

Config AskTell::draw_unknown() {
  for (;;) {
    // An unknown configuration was never drawn, or it would have been proposed: so the order still holds it.
    Config config = space_.at(order_.next(rng_).value());
    if (!is_known(config)) {
      return config;
    }
  }
}

}  // namespace kerntune::search::detail
