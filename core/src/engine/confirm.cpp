// SPDX-License-Identifier: Apache-2.0
#include "engine/confirm.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace kerntune {
namespace {

using Clock = std::chrono::steady_clock;

class Final {
 public:
  Final(Session& session, const std::vector<Contender>& contenders, const ConfirmPolicy& policy)
      : session_(session), contenders_(contenders), policy_(policy), active_(contenders.size(), true) {
    result_.entries.resize(contenders.size());
  }

  Confirmed run(const std::function<void(int)>& tick) {
    const auto begin = Clock::now();
    while (result_.rounds < policy_.max_rounds && !session_.context_lost()) {
      play_round();
      tick(++result_.rounds);
      if (result_.rounds < policy_.min_rounds) continue;
      judge();
      if (settled() || std::chrono::duration<double>(Clock::now() - begin).count() > policy_.max_seconds) break;
    }
    judge();
    result_.unresolved = !settled();
    return std::move(result_);
  }

 private:
  /// Each round starts with another contender, so that no one always follows the same neighbour.
  void play_round() {
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      const std::size_t c = (i + static_cast<std::size_t>(result_.rounds)) % contenders_.size();
      if (active_[c]) measure(c);
    }
  }

  void measure(std::size_t c) {
    Confirmed::Entry& entry = result_.entries[c];
    const double estimate = std::max(contenders_[c].estimate_ns, 1.0);
    const int launches = std::clamp(static_cast<int>(std::ceil(policy_.round_ns / estimate)), 3, policy_.max_launches);
    const auto samples = session_.time(*contenders_[c].prepared, 1, launches);
    if (!samples) {
      entry.failed = true;
      entry.rejection = samples.error();
      active_[c] = false;
      return;
    }
    entry.round_ns.push_back(median(*samples));
    entry.samples.insert(entry.samples.end(), samples->begin(), samples->end());
  }

  void judge() {
    pick_leader();
    const auto& leader = result_.entries[result_.leader];
    for (std::size_t c = 0; c < contenders_.size(); ++c) {
      Confirmed::Entry& entry = result_.entries[c];
      const auto ratios = entry.failed ? std::vector<double>{} : paired_ratios(entry.round_ns, leader.round_ns);
      if (ratios.empty()) continue;
      entry.ratio = median(ratios);
      entry.ratio_interval = median_interval(ratios);
      entry.tie = entry.ratio_interval.low < 1 + policy_.tie_margin;
      if (!entry.tie && !contenders_[c].keep) active_[c] = false;  // clearly slower: no more rounds
    }
  }

  void pick_leader() {
    std::optional<std::size_t> best;
    for (std::size_t c = 0; c < contenders_.size(); ++c) {
      Confirmed::Entry& entry = result_.entries[c];
      if (entry.failed || entry.round_ns.empty()) continue;
      entry.median_ns = median(entry.round_ns);
      const bool can_lead = active_[c] || contenders_[c].keep;
      if (can_lead && (!best || entry.median_ns < result_.entries[*best].median_ns)) best = c;
    }
    if (best) result_.leader = *best;
  }

  bool settled() const {
    return std::all_of(result_.entries.begin(), result_.entries.end(), [&](const Confirmed::Entry& e) {
      return e.failed || !e.tie || e.ratio_interval.half_width() <= policy_.half_width;
    });
  }

  Session& session_;
  const std::vector<Contender>& contenders_;
  const ConfirmPolicy& policy_;
  std::vector<bool> active_;
  Confirmed result_;
};

}  // namespace

std::vector<double> paired_ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) ratios.push_back(a[i] / b[i]);
  return ratios;
}

Confirmed confirm(Session& session, const std::vector<Contender>& contenders, const ConfirmPolicy& policy,
                  const std::function<void(int round)>& tick) {
  return Final(session, contenders, policy).run(tick);
}

}  // namespace kerntune
