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
  int min_rounds = 9;  // the fewest with a 95 % interval narrower than the range
  int max_rounds = 41;
  double tie_margin = 0.01;   // a tie: the interval of time/leader reaches below 1 + this
  double half_width = 0.005;  // rounds go on until a contender's interval is this narrow, or clear of the margin
  double round_ns = 1e6;      // device time per candidate and round, by number of launches
  int max_launches = 15;
  double max_seconds = 8;
};

struct Contender {
  Prepared* prepared = nullptr;  // borrowed
  bool keep = false;             // measured to the end even when clearly slower: the default
  double estimate_ns = 0;        // from the screening; decides how many launches make a round
};

struct Confirmed {
  struct Entry {
    std::vector<double> round_ns;  // median of the launches of each round it took part in
    Samples samples;
    double median_ns = 0;
    double ratio = 1;  // median over rounds of its time / the leader's
    Interval ratio_interval{1, 1};
    bool tie = false;
    bool failed = false;
    Rejection rejection;
  };
  std::vector<Entry> entries;  // as the contenders
  std::size_t leader = 0;      // meaningless if all failed
  int rounds = 0;
  bool unresolved = false;  // a cap ended it before every contender was a tie or clear of one
};

/// `tick` is called after every round.
Confirmed confirm(Session& session, const std::vector<Contender>& contenders, const ConfirmPolicy& policy,
                  const std::function<void(int round)>& tick);

/// Paired ratio a/b over the rounds that both took part in.
std::vector<double> paired_ratios(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace kerntune
