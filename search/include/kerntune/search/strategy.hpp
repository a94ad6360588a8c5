// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kerntune/search/param_space.hpp>

namespace kerntune::search {

/// What a strategy is told about one configuration.
struct Feedback {
  enum class Status {
    measured,  // time_ns is set
    slower,    // stopped early: not faster than time_ns, which is a lower bound of its time
    rejected,  // cannot run, or is wrong: it has no time
  };
  Status status = Status::rejected;
  double time_ns = 0;
};

/// Decides where to look next. Ask and tell, with several configurations in flight:
///
///   while (auto config = strategy->propose()) { ... strategy->observe(*config, feedback); }
///
/// propose() never repeats a configuration (it counts unique evaluations, not visits). It returns nothing when there is
/// nothing left, or `blocked` while it must hear more before it can go on; blocked is possible only while
/// something proposed is unobserved.
///
/// Deterministic: the same space, options, seed and the same sequence of propose/observe calls give the same
/// proposals. Threads: one at a time.
class Strategy {
 public:
  virtual ~Strategy() = default;

  enum class Answer { config, blocked, exhausted };
  struct Proposal {
    Answer answer = Answer::exhausted;
    Config config;  // if answer == config
  };

  [[nodiscard]] virtual Proposal propose() = 0;
  /// Requires: `config` was proposed and not yet observed, or was never proposed (a known result from the store,
  /// the default, an incumbent: knowledge the strategy may use and will not propose again).
  virtual void observe(const Config& config, const Feedback& feedback) = 0;

  virtual std::string_view name() const noexcept = 0;
};

/// Name and one-line description, for --help and errors.
struct StrategyInfo {
  std::string_view name;
  std::string_view summary;
};
std::span<const StrategyInfo> strategies() noexcept;
std::string_view default_strategy() noexcept;

/// Errors: SpaceError naming the known strategies.
/// The space must not be empty and is kept (ParamSpace is a cheap handle).
std::unique_ptr<Strategy> make_strategy(std::string_view name, ParamSpace space, std::uint64_t seed);

}  // namespace kerntune::search
