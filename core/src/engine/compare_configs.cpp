// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <kerntune/core/tuner.hpp>

#include "engine/final.hpp"
#include "engine/material.hpp"
#include "engine/session_setup.hpp"

namespace kerntune {
namespace {

constexpr int kTrialSamples = 3;  // to know how long a round will be
constexpr double kMaxSeconds = 8;

class Match {
 public:
  Match(Workshop& shop, const std::string& kernel, Dims dims) : shop_(shop), entrance_(shop, dims) {
    result_.kernel = kernel;
    result_.dims = std::move(dims);
    result_.device = shop.context.device;
    result_.policy = shop.context.policy.text();
  }

  Comparison play(const std::vector<search::Config>& configs) {
    for (const search::Config& config : configs) enter(config);
    std::vector<FinalCandidate> candidates;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < result_.entries.size(); ++i) {
      if (result_.entries[i].rejection) continue;
      candidates.push_back({configs_[i], modules_[i], edge_code_[i], true, result_.entries[i].standing.time_ns});
      places.push_back(i);
    }
    if (!candidates.empty()) compare(candidates, places);
    return std::move(result_);
  }

 private:
  /// Compiles, verifies and tries one.
  void enter(search::Config config) {
    Comparison::Entry& entry = result_.entries.emplace_back();
    entry.config = shop_.context.program->space().text(config);
    configs_.push_back(config);
    modules_.emplace_back();
    edge_code_.emplace_back();
    auto material = entrance_.admit(config);
    if (!material) {
      entry.rejection = material.error();
      return;
    }
    modules_.back() = std::move(material->modules);
    edge_code_.back() = std::move(material->edge_code);
    const LaneAnswer answer = shop_.lane->evaluate(
        {result_.entries.size(), std::move(config), entry.config, modules_.back(), kTrialSamples, false, {}});
    entry.rejection = answer.rejection;
    entry.standing.time_ns = answer.median_ns;
  }

  void compare(const std::vector<FinalCandidate>& candidates, const std::vector<std::size_t>& places) {
    FinalOutcome outcome = shop_.lane->run_final(candidates, kMaxSeconds, [](int) { return true; });
    if (outcome.broken)
      result_.note = "the device worker was lost during the comparison; what is shown may be incomplete";
    result_.rounds = outcome.rounds;
    result_.unresolved = outcome.unresolved;
    result_.exhausted = outcome.exhausted;
    result_.runs_per_sample = std::max(1, shop_.lane->runs_per_sample());
    for (std::size_t i = 0; i < places.size(); ++i) {
      Comparison::Entry& entry = result_.entries[places[i]];
      FinalEntry& e = outcome.entries[i];
      entry.rejection = e.rejection;
      if (!e.rejection && e.rounds_ns.empty())
        entry.rejection = Rejection{Reason::internal_error, "the comparison ended before it played a round"};
      entry.standing = finalist_of(configs_[places[i]], entry.config, std::move(e));
      if (!entry.rejection && (result_.leader.empty() || entry.standing.ratio < leader_ratio_)) {
        result_.leader = entry.config;
        leader_ratio_ = entry.standing.ratio;
      }
    }
  }

  Workshop& shop_;
  Entrance entrance_;
  Comparison result_;
  std::vector<search::Config> configs_;               // as the entries
  std::vector<std::vector<CompiledModule>> modules_;  // as the entries
  std::vector<std::vector<EdgeCode>> edge_code_;      // as the entries
  double leader_ratio_ = 0;
};

}  // namespace

Comparison compare_configs(const RunRequest& request, const std::vector<std::string>& configs) {
  const auto program = std::make_shared<const SpecProgram>(request.kernel.spec);
  std::vector<search::Config> named;
  for (const std::string& text : configs) named.push_back(config_named(text, *program));
  Dims dims = complete_dims(request, *program);
  Workshop shop = open_workshop(request, program);
  return Match(shop, request.kernel.spec.name, std::move(dims)).play(named);
}

}  // namespace kerntune
