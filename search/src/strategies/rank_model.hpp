// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "ask_tell.hpp"
#include "gaussian_process.hpp"

namespace kerntune::search::detail {

/// A Gaussian process of the results so far, observed or still in flight. Lower is faster.
///
/// It is fitted to the square root of each result's rank. Ranks make times of any scale and spread alike and a failure
/// simply the last; the root spreads the fast end, where differences matter. A result in flight counts as the value
/// that was predicted for it (the "kriging believer" of Ginsbourger, Le Riche, Carraro, "Kriging is well-suited to
/// parallelize optimization", 2010), so that the next proposal looks elsewhere.
class RankModel {
 public:
  using Candidate = GaussianProcess::Candidate;
  using Prediction = GaussianProcess::Prediction;

  explicit RankModel(const ParamSpace& space) : similarity_(space), process_(similarity_) {}

  bool holds(const Config& config) const { return row_of_.contains(config); }
  std::size_t in_flight() const noexcept { return in_flight_; }
  std::size_t observed() const noexcept { return rows_.size() - in_flight_; }

  /// Requires: !holds(config).
  void expect(const Config& config, double believed);
  /// `time_ns` is infinite for a failure. A second result of a configuration replaces the first.
  void observe(const Config& config, double time_ns);
  Prediction predict(Candidate& candidate);

  /// Drops all observed results but the `fastest` and as many random others. Candidates must drop their weights.
  void forget(std::size_t fastest, Rng& rng);

 private:
  struct Row {  // a point of the process
    Config config;
    bool is_observed = false;
    double time_ns = 0;
    double target = 0;
  };

  Row& add(const Config& config);
  void refresh_targets();
  std::vector<std::size_t> fastest_first() const;

  Similarity similarity_;
  GaussianProcess process_;
  std::vector<Row> rows_;
  std::unordered_map<Config, std::size_t, ConfigHash> row_of_;
  std::size_t in_flight_ = 0;
  bool is_stale_ = false;
};

}  // namespace kerntune::search::detail
