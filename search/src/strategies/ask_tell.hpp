// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <kerntune/search/strategy.hpp>

#include "shuffle.hpp"

namespace kerntune::search::detail {

struct ConfigHash {
  std::size_t operator()(const Config& config) const noexcept;
};

/// What every strategy shares: which configurations are known (proposed or observed), so that none is proposed
/// twice and exhaustion is exact. A strategy says what it wants next in choose() and what it learns in learn().
class AskTell : public Strategy {
 public:
  AskTell(std::string_view name, ParamSpace space, std::uint64_t seed);

  [[nodiscard]] Proposal propose() final;
  void observe(const Config& config, const Feedback& feedback) final;
  std::string_view name() const noexcept final { return name_; }

 protected:
  /// Called while an unknown configuration is left. Returns: an unknown configuration.
  virtual Config choose() = 0;
  /// Requires: `config` is of this space and known by now.
  virtual void learn(const Config& config, const Feedback& feedback) = 0;

  const ParamSpace& space() const noexcept { return space_; }
  Rng& rng() noexcept { return rng_; }
  bool is_known(const Config& config) const { return known_.contains(config); }
  std::size_t known_count() const noexcept { return known_.size(); }
  /// An unknown configuration, uniformly at random. Requires: one is left.
  Config draw_unknown();

 private:
  std::string_view name_;  // a literal of the registry
  ParamSpace space_;
  Rng rng_;
  Shuffle order_;
  std::unordered_set<Config, ConfigHash> known_;
};

}  // namespace kerntune::search::detail
