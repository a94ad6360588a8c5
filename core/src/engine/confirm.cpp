// SPDX-License-Identifier: Apache-2.0
#include "engine/confirm.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "engine/racing.hpp"

namespace kerntune {
namespace {

using Clock = std::chrono::steady_clock;
using Rounds = std::vector<std::vector<double>>;

/// Rounds that those who play to the end have played.
std::size_t most_rounds(const Rounds& rounds) {
  std::size_t most = 0;
  for (const auto& of_one : rounds) most = std::max(most, of_one.size());
  return most;
}

std::size_t find_leader(const Rounds& rounds, std::size_t count) {
  std::vector<std::vector<double>> scores(rounds.size());
  for (std::size_t r = 0; r < count; ++r) {
    std::vector<double> round;
    for (const auto& of_one : rounds)
      if (of_one.size() == count) round.push_back(of_one[r]);
    const double middle = median(round);
    for (std::size_t c = 0; c < rounds.size(); ++c)
      if (rounds[c].size() == count) scores[c].push_back(rounds[c][r] / middle);
  }
  std::size_t leader = rounds.size();
  double best = 0;
  for (std::size_t c = 0; c < rounds.size(); ++c) {
    if (scores[c].empty()) continue;
    const double score = median(scores[c]);
    if (leader < rounds.size() && score >= best) continue;
    leader = c;
    best = score;
  }
  return leader;
}

/// How far a ratio lies from another, in the logarithm: to be half as long or twice as long is equally far, and no
/// interval reaches below 0.
double distance(double ratio, double middle) { return std::abs(std::log(ratio / middle)); }

/// Robust standard deviation of ratios, relative to their median: 1.4826 * MAD of the logarithms.
double ratio_noise(const std::vector<double>& ratios) {
  const double middle = median(ratios);
  std::vector<double> distances;
  for (const double ratio : ratios) distances.push_back(distance(ratio, middle));
  return 1.4826 * median(distances);
}

/// Deviations from the median but for the smallest, which belongs to the median itself and would pull few values' noise
/// towards 0.
void add_deviations(const std::vector<double>& ratios, std::vector<double>& deviations) {
  const double middle = median(ratios);
  const std::size_t before = deviations.size();
  for (const double ratio : ratios) deviations.push_back(distance(ratio, middle));
  const auto smallest = std::min_element(deviations.begin() + static_cast<std::ptrdiff_t>(before), deviations.end());
  deviations.erase(smallest);
}

/// Relative sigma of one round's ratio to the leader, over all contenders.
double pooled_sigma(const std::vector<std::vector<double>>& ratios, std::size_t leader, double floor) {
  std::vector<double> deviations;
  bool only_pairs = true;
  for (std::size_t c = 0; c < ratios.size(); ++c) {
    if (c == leader || ratios[c].size() < 2) continue;
    add_deviations(ratios[c], deviations);
    only_pairs = only_pairs && ratios[c].size() == 2;
  }
  if (deviations.empty()) return floor;
  const double of_two =
      only_pairs ? std::numbers::sqrt2 : 1;  // two values are half as far from their middle as from each other
  return std::max(floor, 1.4826 * of_two * median(deviations));
}

double confidence_factor(std::size_t contenders, std::size_t rounds, double error_rate) {
  const auto others = static_cast<double>(std::max<std::size_t>(contenders, 2) - 1);
  const double pairs = others * (others + 1) / 2;  // any of them might have come out as the leader
  const double z = normal_quantile(1 - error_rate / (2 * pairs));
  constexpr double kEfficiency = 0.37;  // of the median absolute deviation: that much of the values' information
  const double freedom = std::max(1.0, kEfficiency * others * (static_cast<double>(rounds) - 1));
  return z + (z * z * z + z) / (4 * freedom);
}

}  // namespace

std::vector<double> paired_ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) ratios.push_back(a[i] / b[i]);
  return ratios;
}

Judgement::Entry compare_rounds(const std::vector<double>& a, const std::vector<double>& b, double sigma,
                                std::size_t contenders, const ConfirmPolicy& policy) {
  constexpr std::size_t kOwnNoise = 7;  // rounds from which a contender's own noise is known
  const std::vector<double> ratios = paired_ratios(a, b);
  Judgement::Entry entry;
  entry.ratio = median(ratios);
  if (ratios.size() >= kOwnNoise) sigma = std::max(sigma, ratio_noise(ratios));
  const double factor = confidence_factor(contenders, ratios.size(), policy.error_rate);
  const double half = std::exp(factor * median_error(sigma, ratios.size()));
  entry.interval = {entry.ratio / half, entry.ratio * half};
  entry.tie = entry.interval.low < 1 + policy.tie_margin;
  return entry;
}

Judgement judge(const Rounds& rounds, const ConfirmPolicy& policy) {
  Judgement judgement;
  judgement.entries.resize(rounds.size());
  const std::size_t count = most_rounds(rounds);
  if (count == 0) return judgement;
  judgement.leader = find_leader(rounds, count);
  const auto& leader = rounds[judgement.leader];
  std::vector<std::vector<double>> ratios;
  for (const auto& of_one : rounds) ratios.push_back(paired_ratios(of_one, leader));
  judgement.sigma = pooled_sigma(ratios, judgement.leader, policy.noise_floor);
  for (std::size_t c = 0; c < rounds.size(); ++c) {
    if (ratios[c].empty()) continue;
    judgement.entries[c] = compare_rounds(rounds[c], leader, judgement.sigma, rounds.size(), policy);
  }
  judgement.entries[judgement.leader] = {1, {1, 1}, true};
  return judgement;
}

namespace {

class Final {
 public:
  Final(Session& session, const std::vector<Contender>& contenders, const ConfirmPolicy& policy)
      : session_(session), contenders_(contenders), policy_(policy), active_(contenders.size(), true) {
    result_.entries.resize(contenders.size());
  }

  Confirmed run(const std::function<void(int)>& tick) {
    const auto begin = Clock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    while (result_.rounds < policy_.max_rounds && !result_.exhausted && !session_.context_lost()) {
      play_round();
      tick(++result_.rounds);
      const bool late = result_.rounds >= kFewRounds && seconds() > policy_.max_seconds;
      if (!late && result_.rounds < next_look_) continue;
      look();
      if (late || (result_.rounds >= policy_.min_rounds && settled())) break;
    }
    look();
    result_.unresolved = !settled();
    return std::move(result_);
  }

 private:
  static constexpr int kFewRounds = 3;  // the fewest after which lack of time may end it
  /// The fewest after which someone may be dropped. A contender's first runs under load are of another kind than its
  /// later ones (boost clocks, then power or temperature), for as long as each one's power lets it: sooner, the steady
  /// one would be out for being compared with a burst.
  static constexpr int kDropRounds = 6;

  /// Each round starts with another contender, so that no one always follows the same neighbour.
  void play_round() {
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      const std::size_t c = (i + static_cast<std::size_t>(result_.rounds)) % contenders_.size();
      if (active_[c]) measure(c);
    }
  }

  void measure(std::size_t c) {
    Confirmed::Entry& entry = result_.entries[c];
    const double sample_ns = std::max(contenders_[c].estimate_ns * std::max(1, session_.runs_per_sample()), 1.0);
    const int samples = std::clamp(static_cast<int>(std::ceil(policy_.round_ns / sample_ns)), 1, policy_.max_samples);
    const auto timing = session_.time(*contenders_[c].prepared, 1, samples);
    if (!timing) {
      entry.failed = true;
      entry.rejection = timing.error();
      entry.round_ns.clear();
      active_[c] = false;
      return;
    }
    append(entry.timing, *timing);
    result_.exhausted = result_.exhausted || timing->exhausted;
    if (!timing->samples_ns.empty())
      entry.round_ns.push_back(median(timing->samples_ns));
    else if (entry.round_ns.empty())
      entry.round_ns.push_back(contenders_[c].estimate_ns);
  }

  void look() {
    Rounds rounds;
    std::size_t whole = most_rounds_played();
    for (const Confirmed::Entry& entry : result_.entries) {
      rounds.push_back(entry.round_ns);
      if (rounds.back().size() > whole) rounds.back().resize(whole);
    }
    const Judgement judgement = judge(rounds, policy_);
    result_.leader = judgement.leader;
    result_.sigma = judgement.sigma;
    for (std::size_t c = 0; c < contenders_.size(); ++c) take(c, judgement);
    next_look_ = std::max(result_.rounds + 1, result_.rounds * 6 / 5);
  }

  /// Rounds that everyone still playing has played: the last may have ended half-way.
  std::size_t most_rounds_played() const {
    std::size_t fewest = static_cast<std::size_t>(std::max(result_.rounds, 1));
    for (std::size_t c = 0; c < contenders_.size(); ++c)
      if (active_[c] && !result_.entries[c].round_ns.empty())
        fewest = std::min(fewest, result_.entries[c].round_ns.size());
    return fewest;
  }

  void take(std::size_t c, const Judgement& judgement) {
    Confirmed::Entry& entry = result_.entries[c];
    if (entry.failed || entry.round_ns.empty()) return;
    if (!active_[c] && !contenders_[c].keep) return;  // what dropped it stands
    entry.median_ns = median(entry.round_ns);
    entry.ratio = judgement.entries[c].ratio;
    entry.ratio_interval = judgement.entries[c].interval;
    entry.tie = judgement.entries[c].tie;
    const bool enough = entry.round_ns.size() >= static_cast<std::size_t>(kDropRounds);
    if (enough && !entry.tie && !contenders_[c].keep) active_[c] = false;  // clearly slower: no more rounds
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
  int next_look_ = kDropRounds;
  Confirmed result_;
};

}  // namespace

Confirmed confirm(Session& session, const std::vector<Contender>& contenders, const ConfirmPolicy& policy,
                  const std::function<void(int round)>& tick) {
  return Final(session, contenders, policy).run(tick);
}

}  // namespace kerntune
