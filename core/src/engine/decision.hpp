// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/confirm.hpp"

namespace kerntune {

/// A contender when the rounds are over, as the decision sees it.
struct Standing {
  std::string text;        // configuration
  bool incumbent = false;  // what runs now: deployed, an earlier winner, or the default if there is neither
  bool tie = false;        // could not be told from the leader
  double ratio = 1;        // to the leader
  double regs = 0, shared_bytes = 0;
  std::vector<double> round_ns;  // empty: it failed
};

struct Decision {
  std::size_t winner = 0;
  /// The incumbent's time over that of whom it was compared with last: the winner, or the challenger that it withstood.
  struct Defence {
    std::size_t incumbent = 0, challenger = 0;
    double ratio = 1;
    Interval interval{1, 1};
    bool replaced = false;
  };
  std::optional<Defence> defence;  // absent without an incumbent, and if it leads
};

/// Ties this close to the leader are equal for the pick; the others are only not proven slower.
inline constexpr double kPickMargin = 0.0075;

/// Who wins. The incumbent stays unless a challenger's paired gain has a confidence bound above `policy.tie_margin`.
/// Challengers are the leader and its ties within kPickMargin: fewer registers first, then less shared memory, then
/// text order. Never chance. Nothing if nobody played a round.
std::optional<Decision> decide(const std::vector<Standing>& standings, double sigma, const ConfirmPolicy& policy);

}  // namespace kerntune
