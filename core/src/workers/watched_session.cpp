// SPDX-License-Identifier: Apache-2.0
#include "workers/watched_session.hpp"

#include <algorithm>

namespace kerntune {

using Phase = process::StatusPage::Phase;

/// On the page while it lives; afterwards the worker is between two steps, which has a limit, too (a plugin's teardown
/// runs there).
class WatchedSession::Step {
 public:
  Step(WatchedSession& session, std::uint64_t item, Phase phase, double extra_s) : session_(session), item_(item) {
    session_.page_.begin(item, phase, session_.step_s_ + extra_s);
  }
  ~Step() { session_.page_.begin(item_, Phase::between, session_.step_s_); }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  WatchedSession& session_;
  std::uint64_t item_;
};

WatchedSession::WatchedSession(std::unique_ptr<Session> session, process::StatusPage& page, double step_s,
                               double usual_ns)
    : session_(std::move(session)), page_(page), step_s_(step_s), usual_ns_(usual_ns) {}

void WatchedSession::work_for(std::uint64_t item) {
  item_ = item;
  page_.begin(item, Phase::between, step_s_);
}

tl::expected<std::unique_ptr<Prepared>, Rejection> WatchedSession::prepare(const search::Config& config,
                                                                           const std::vector<CompiledModule>& modules) {
  const Step step(*this, item_, Phase::preparing, 0);
  auto prepared = session_->prepare(config, modules);
  if (prepared) owners_[prepared->get()] = {item_, 0};
  return prepared;
}

tl::expected<Samples, Rejection> WatchedSession::time(Prepared& prepared, int warmup, int launches) {
  Owner& owner = owners_[&prepared];
  const double launch_s = std::max(usual_ns_, owner.launch_ns) * 1e-9;
  const Step step(*this, owner.item, Phase::timing, kLaunchPatience * (warmup + launches) * launch_s);
  auto samples = session_->time(prepared, warmup, launches);
  if (!samples || samples->empty()) return samples;
  owner.launch_ns = std::max(owner.launch_ns, *std::max_element(samples->begin(), samples->end()));
  if (usual_ns_ <= 0) usual_ns_ = owner.launch_ns;
  return samples;
}

tl::expected<Verification, Rejection> WatchedSession::verify(Prepared& prepared, std::uint64_t seed) {
  const Owner& owner = owners_[&prepared];
  const double launch_s = std::max(usual_ns_, owner.launch_ns) * 1e-9;
  const double reference_s = seeds_.insert(seed).second ? kReferenceSeconds : 0;
  const Step step(*this, owner.item, Phase::verifying, kLaunchPatience * launch_s + reference_s);
  return session_->verify(prepared, seed);
}

}  // namespace kerntune
