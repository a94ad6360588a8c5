// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/tuner.hpp>

#include "engine/material.hpp"
#include "engine/session_setup.hpp"

namespace kerntune {
namespace {

class Profiling {
 public:
  Profiling(Workshop& shop, const RunRequest& request, Dims dims)
      : shop_(shop), request_(request), entrance_(shop, dims) {
    const SpecProgram& program = *shop.context.program;
    const auto work = program.work(program.bind_dims(dims, shop.context.device.properties));
    report_.kernel = request.kernel.spec.name;
    report_.policy = shop.context.policy.text();
    report_.device = shop.context.device;
    report_.dims = std::move(dims);
    report_.flop = work.flop;
    report_.bytes = work.bytes;
  }

  ProfileReport take(const std::vector<search::Config>& configs, const CounterRequest& counters) {
    for (const search::Config& config : configs) enter(config);
    if (candidates_.empty()) {
      report_.access.rung = CounterAccess::Rung::failed;
      report_.access.reason = "no configuration could be run";
      return std::move(report_);
    }
    ProfileOutcome outcome = shop_.lane->profile(candidates_, counters);
    report_.access = outcome.access;
    report_.profile_us = outcome.wall_us;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      ProfileReport::Entry& entry = report_.entries[places_[i]];
      entry.counters = std::move(outcome.entries[i].counters);
      entry.rejection = std::move(outcome.entries[i].rejection);
    }
    return std::move(report_);
  }

 private:
  /// Compiles, verifies and times one.
  void enter(const search::Config& config) {
    ProfileReport::Entry& entry = report_.entries.emplace_back();
    entry.config = shop_.context.program->space().text(config);
    auto material = entrance_.admit(config);
    if (!material) {
      entry.rejection = material.error();
      return;
    }
    LaneAnswer answer = shop_.lane->evaluate({report_.entries.size(), config, entry.config, material->modules,
                                              request_.launches, true, std::move(material->edge_code)});
    entry.rejection = answer.rejection;
    entry.time_ns = answer.median_ns;
    entry.facts = std::move(answer.facts);
    if (entry.rejection) return;
    places_.push_back(report_.entries.size() - 1);
    candidates_.push_back({config, std::move(material->modules)});
  }

  Workshop& shop_;
  const RunRequest& request_;
  Entrance entrance_;
  ProfileReport report_;
  std::vector<ProfileCandidate> candidates_;
  std::vector<std::size_t> places_;  // candidate -> entry
};

}  // namespace

ProfileReport profile_configs(const RunRequest& request, const std::vector<std::string>& configs,
                              const CounterRequest& counters) {
  const auto program = std::make_shared<const SpecProgram>(request.kernel.spec);
  std::vector<search::Config> named;
  for (const std::string& text : configs) named.push_back(config_named(text, *program));
  const Dims dims = complete_dims(request, *program);
  Workshop shop = open_workshop(request, program);
  return Profiling(shop, request, dims).take(named, counters);
}

}  // namespace kerntune
