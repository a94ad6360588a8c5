// SPDX-License-Identifier: Apache-2.0
#include "analysis.hpp"

#include <algorithm>
#include <cmath>

namespace kerntune::report {
namespace {

bool timed(const EvaluationTrace& trace) {
  return trace.status != EvaluationTrace::Status::rejected && trace.time_ns > 0;
}

std::vector<ValueGroup> groups_of(const ParamSpec& param, std::size_t position, const BatchResult& batch) {
  std::vector<ValueGroup> groups(param.values.size());
  for (std::size_t i = 0; i < batch.trace.size(); ++i) {
    const EvaluationTrace& trace = batch.trace[i];
    if (!timed(trace) || position >= trace.config.size() || trace.config[position] >= groups.size()) continue;
    groups[trace.config[position]].points.push_back(i);
  }
  for (std::size_t v = 0; v < groups.size(); ++v) groups[v].value = expr::to_text(param.values[v]);
  std::erase_if(groups, [](const ValueGroup& group) { return group.points.empty(); });
  return groups;
}

void summarise(ValueGroup& group, const BatchResult& batch) {
  std::vector<double> times;
  for (const std::size_t point : group.points) times.push_back(batch.trace[point].time_ns);
  std::sort(times.begin(), times.end());
  group.low = times.front();
  group.q1 = quantile(times, 0.25);
  group.median = quantile(times, 0.5);
  group.q3 = quantile(times, 0.75);
  group.high = times.back();
}

struct Moments {
  double count = 0, mean = 0, squares = 0;  // squares: sum of squared deviations from the mean (Welford)
  void add(double value) {
    ++count;
    const double delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
  }
};

double epsilon_squared(const std::vector<ValueGroup>& groups, const BatchResult& batch) {
  Moments all;
  double within = 0;
  for (const ValueGroup& group : groups) {
    Moments one;
    for (const std::size_t point : group.points) {
      const double value = std::log(batch.trace[point].time_ns);
      one.add(value);
      all.add(value);
    }
    within += one.squares;
  }
  const double free = all.count - static_cast<double>(groups.size());
  if (free <= 0 || all.squares <= 0) return 0;
  // 1 - (mean square within) / (mean square in all)
  const double value = 1 - (within / free) / (all.squares / (all.count - 1));
  return std::clamp(value, 0.0, 1.0);
}

}  // namespace

double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::vector<ParameterEffect> parameter_effects(const KernelSpec& spec, const BatchResult& batch) {
  std::vector<ParameterEffect> effects;
  for (std::size_t position = 0; position < spec.params.size(); ++position) {
    ParameterEffect effect;
    effect.name = spec.params[position].name;
    effect.values = groups_of(spec.params[position], position, batch);
    if (effect.values.size() < 2) continue;
    for (ValueGroup& group : effect.values) summarise(group, batch);
    effect.explained = epsilon_squared(effect.values, batch);
    effects.push_back(std::move(effect));
  }
  std::stable_sort(effects.begin(), effects.end(),
                   [](const ParameterEffect& a, const ParameterEffect& b) { return a.explained > b.explained; });
  return effects;
}

std::vector<double> best_so_far(const BatchResult& batch) {
  std::vector<double> line;
  double best = 0;
  for (const EvaluationTrace& trace : batch.trace) {
    const bool counts = trace.status == EvaluationTrace::Status::measured && trace.time_ns > 0;
    if (counts && (best == 0 || trace.time_ns < best)) best = trace.time_ns;
    line.push_back(best);
  }
  return line;
}

}  // namespace kerntune::report
