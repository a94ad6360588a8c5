// SPDX-License-Identifier: Apache-2.0
#include "engine/finalists.hpp"

#include <algorithm>
#include <tuple>

#include "engine/confirm.hpp"
#include "engine/statistics.hpp"

namespace kerntune {

std::vector<Screened> choose_finalists(std::vector<Screened> screened, double noise, double max_seconds) {
  std::sort(screened.begin(), screened.end(), [](const Screened& a, const Screened& b) {
    return std::tie(a.median_ns, a.text) < std::tie(b.median_ns, b.text);
  });
  if (screened.empty()) return screened;
  constexpr double kZ = 3;  // the fastest is the luckiest of many
  const auto error = [&](const Screened& s) { return kZ * median_error(noise, s.samples); };
  const double best_high = screened.front().median_ns * (1 + error(screened.front()));
  // A round costs each contender an untimed run and a timed one.
  const double rounds_s = 2 * ConfirmPolicy{}.min_rounds * screened.front().median_ns * 1e-9;
  const auto affordable = static_cast<std::size_t>(std::min(1e6, max_seconds / 2 / std::max(rounds_s, 1e-9)));
  const std::size_t most = std::min({screened.size(), kMaxFinalists, std::max(kSureFinalists, affordable)});
  std::size_t count = 0;
  while (count < most &&
         (count < kSureFinalists || screened[count].median_ns * (1 - error(screened[count])) <= best_high)) {
    ++count;
  }
  screened.resize(count);
  return screened;
}

}  // namespace kerntune
