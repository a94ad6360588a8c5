// SPDX-License-Identifier: Apache-2.0
#include "rank_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kerntune::search::detail {
namespace {

// Zero mean, unit variance: what the process takes for granted.
void standardise(std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const double size = static_cast<double>(values.size());
  const double mean = sum / size;
  const double variance = squares / size - mean * mean;
  const double scale = variance > 0 ? 1 / std::sqrt(variance) : 1;
  for (double& value : values) {
    value = (value - mean) * scale;
  }
}

}  // namespace

RankModel::Row& RankModel::add(const Config& config) {
  row_of_.emplace(config, rows_.size());
  process_.add(config);
  rows_.push_back({config});
  is_stale_ = true;
  return rows_.back();
}

void RankModel::expect(const Config& config, double believed) {
  add(config).target = believed;
  ++in_flight_;
}

void RankModel::observe(const Config& config, double time_ns) {
  const auto found = row_of_.find(config);
  Row& row = found == row_of_.end() ? add(config) : rows_[found->second];
  if (found != row_of_.end() && !row.is_observed) {
    --in_flight_;
  }
  row.is_observed = true;
  row.time_ns = time_ns;
  is_stale_ = true;
}

RankModel::Prediction RankModel::predict(Candidate& candidate) {
  if (is_stale_) {
    refresh_targets();
  }
  return process_.predict(candidate);
}

std::vector<std::size_t> RankModel::fastest_first() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].is_observed) {
      order.push_back(i);
    }
  }
  std::ranges::stable_sort(order, {}, [this](std::size_t i) { return rows_[i].time_ns; });
  return order;
}

void RankModel::refresh_targets() {
  const std::vector<std::size_t> order = fastest_first();
  std::vector<double> values;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool ties = i > 0 && rows_[order[i]].time_ns == rows_[order[i - 1]].time_ns;
    values.push_back(ties ? values.back() : std::sqrt(static_cast<double>(i + 1)));
  }
  if (!order.empty()) {
    standardise(values);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    rows_[order[i]].target = values[i];
  }
  std::vector<double> targets;
  for (const Row& row : rows_) {
    targets.push_back(row.target);
  }
  process_.set_targets(targets);
  is_stale_ = false;
}

void RankModel::forget(std::size_t fastest, Rng& rng) {
  std::vector<std::size_t> order = fastest_first();
  std::vector<bool> dropped(rows_.size(), false);
  while (order.size() > 2 * fastest) {
    const std::size_t place = fastest + rng.below(order.size() - fastest);
    dropped[order[place]] = true;
    order[place] = order.back();
    order.pop_back();
  }
  const std::vector<Row> before = std::exchange(rows_, {});
  row_of_.clear();
  process_ = GaussianProcess(similarity_);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!dropped[i]) {
      add(before[i].config) = before[i];
    }
  }
}

}  // namespace kerntune::search::detail
