// SPDX-License-Identifier: Apache-2.0
#include "workers/watched_session.hpp"

#include <algorithm>

namespace kerntune {

using Phase = process::StatusPage::Phase;

Watch::Step::Step(Watch& watch, std::uint64_t item, Phase phase, double extra_s) : watch_(watch), item_(item) {
  watch_.page.begin(item, phase, watch_.step_s + extra_s);
}

Watch::Step::~Step() { watch_.page.begin(item_, Phase::between, watch_.step_s); }

void Watch::work_for(std::uint64_t next) {
  item = next;
  page.begin(item, Phase::between, step_s);
}

WatchedSession::WatchedSession(std::unique_ptr<Session> session, Watch& watch, double usual_ns)
    : session_(std::move(session)), watch_(watch), usual_ns_(usual_ns) {}

tl::expected<std::unique_ptr<Prepared>, Rejection> WatchedSession::prepare(const search::Config& config,
                                                                           const std::vector<CompiledModule>& modules) {
  const Watch::Step step(watch_, watch_.item, Phase::preparing, 0);
  auto prepared = session_->prepare(config, modules);
  if (prepared) owners_[prepared->get()] = {watch_.item, 0};
  return prepared;
}

tl::expected<Timing, Rejection> WatchedSession::time(Prepared& prepared, int warmup, int samples) {
  Owner& owner = owners_[&prepared];
  const double launch_s = std::max(usual_ns_, owner.launch_ns) * 1e-9;
  const double launches = warmup + static_cast<double>(samples) * std::max(1, session_->runs_per_sample());
  const Watch::Step step(watch_, owner.item, Phase::timing, kLaunchPatience * launches * launch_s);
  auto timing = session_->time(prepared, warmup, samples);
  if (!timing || timing->samples_ns.empty()) return timing;
  owner.launch_ns = std::max(owner.launch_ns, *std::max_element(timing->samples_ns.begin(), timing->samples_ns.end()));
  if (usual_ns_ <= 0) usual_ns_ = owner.launch_ns;
  return timing;
}

tl::expected<Verification, Rejection> WatchedSession::verify(Prepared& prepared, std::uint64_t seed) {
  const Owner& owner = owners_[&prepared];
  const double launch_s = std::max(usual_ns_, owner.launch_ns) * 1e-9;
  const double reference_s = seeds_.insert(seed).second ? Watch::kReferenceSeconds : 0;
  const Watch::Step step(watch_, owner.item, Phase::verifying, kLaunchPatience * launch_s + reference_s);
  return session_->verify(prepared, seed);
}

CounterProfile WatchedSession::profile(const std::vector<Prepared*>& prepared, const CounterRequest& request) {
  constexpr double kProfilerSeconds = 60;  // to start; some 0.5 s where nothing is wrong
  constexpr double kMostPasses = 40;
  double launches_s = 0;
  for (const Prepared* one : prepared) launches_s += std::max(usual_ns_, owners_[one].launch_ns) * 1e-9;
  const double passes = request.max_passes > 0 ? static_cast<double>(request.max_passes) : kMostPasses;
  const Watch::Step step(watch_, watch_.item, Phase::profiling,
                         kProfilerSeconds + kLaunchPatience * (1 + passes) * launches_s);
  return session_->profile(prepared, request);
}

}  // namespace kerntune
