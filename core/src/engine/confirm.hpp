// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <tl/expected.hpp>

#include <kerntune/core/device.hpp>

#include "engine/statistics.hpp"

namespace kerntune {

/// The final: leaders, default and incumbent measured in interleaved rounds, compared pairwise within each round, so
/// that drift of clocks and temperature hits all alike. Only these rounds decide: the best of many noisy screenings is
/// biased low.
struct ConfirmPolicy {
  int min_rounds = 9;
  int max_rounds = 401;
  double tie_margin = 0.01;    // a tie: the interval of time/leader reaches below 1 + this
  double half_width = 0.005;   // rounds go on until a contender's interval is this narrow, or clear of the margin
  double error_rate = 0.05;    // of all intervals of a final together
  double noise_floor = 0.001;  // relative sigma of a ratio, at least
  double round_ns = 200e3;     // device time per contender and round, by number of samples
  int max_samples = 15;        // per contender and round
  double max_seconds = 8;
};

struct Contender {
  Prepared* prepared = nullptr;  // borrowed
  bool keep = false;             // measured to the end even when clearly slower: the default, an incumbent
  double estimate_ns = 0;        // from the screening; decides how many samples make a round
};

/// Rounds compared: what `round_ns` says about each contender.
struct Judgement {
  struct Entry {
    double ratio = 1;  // median over rounds of its time / the leader's
    Interval interval{1, 1};
    bool tie = false;
  };
  std::vector<Entry> entries;  // as the contenders; meaningless where there is no round
  std::size_t leader = 0;      // meaningless if there is no round at all
  double sigma = 0;            // relative, of one round's ratio
};

/// Compares contenders by their rounds, which all began with the first: round_ns[c][r]. Those with fewer rounds than
/// the others were dropped and cannot lead; none at all: failed.
///
/// The leader has the lowest median of time / the round's median over contenders. Intervals of ratios are
/// median -+ t sqrt(pi/2) sigma / sqrt(rounds), with sigma pooled over contenders by the median absolute deviation (a
/// contender noisier than that counts with its own), and t the normal quantile at error_rate shared among all pairs of
/// contenders (Bonferroni: the leader is whoever was luckiest), widened for the degrees of freedom (first term of
/// Cornish and Fisher's expansion).
Judgement judge(const std::vector<std::vector<double>>& round_ns, const ConfirmPolicy& policy);

/// The interval of a / b over the rounds that both played, with the noise and confidence of a judgement of `contenders`
/// contenders. Requires: both played a round.
Judgement::Entry compare_rounds(const std::vector<double>& a, const std::vector<double>& b, double sigma,
                                std::size_t contenders, const ConfirmPolicy& policy);

struct Confirmed {
  struct Entry {
    std::vector<double> round_ns;  // median of the samples of each round it took part in
    Timing timing;                 // every sample
    double median_ns = 0;
    double ratio = 1;
    Interval ratio_interval{1, 1};
    bool tie = false;
    bool failed = false;
    Rejection rejection;
  };
  std::vector<Entry> entries;  // as the contenders
  std::size_t leader = 0;      // meaningless if all failed
  int rounds = 0;
  double sigma = 0;
  bool unresolved = false;  // a cap ended it before every contender was a tie or clear of one
  bool exhausted = false;   // a recording had no more samples
};

/// `tick` is called after every round. A contender of whom a recording has no fresh sample at all plays one round with
/// his estimate.
Confirmed confirm(Session& session, const std::vector<Contender>& contenders, const ConfirmPolicy& policy,
                  const std::function<void(int round)>& tick);

/// Paired ratio a/b over the rounds that both took part in.
std::vector<double> paired_ratios(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace kerntune
