// SPDX-License-Identifier: Apache-2.0
#include "cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "machine.hpp"

namespace kerntune::search::detail {
namespace {

using expr::detail::Op;

constexpr std::int64_t kUnit = 16;
// 2^(i/16) in units of 1/4096, so that it is exact in a double.
constexpr int kFractions[kUnit] = {4096, 4277, 4467, 4664, 4871, 5087, 5312, 5547,
                                   5793, 6049, 6317, 6597, 6889, 7194, 7512, 7845};
// Products and sums of many values coincide often.
constexpr std::int64_t kMostNodeBits = 16 * kUnit;
constexpr std::int64_t kMostBits = 200 * kUnit;
constexpr int kSamples = 64;

// Exact rounding is safe: no logarithm of a ratio of small integers lies near the middle between two units.
std::int64_t bits(double number) { return std::lround(static_cast<double>(kUnit) * std::log2(number)); }

bool is_truth(Op op) {
  return (op >= Op::equal && op <= Op::greater_equal) || op == Op::logical_not || op == Op::to_bool ||
         op == Op::is_pow2 || op == Op::member;
}

}  // namespace

CostModel::CostModel(const Graph& graph, std::span<const Param> params) : graph_(graph) {
  const std::size_t count = graph.nodes().size();
  node_bits_.resize(count);
  params_.resize(count);
  nodes_of_.resize(params.size());
  roots_of_.resize(params.size());
  roots_at_.resize(count);
  start_.unknown_params.resize(count);
  start_.unknown_users.resize(count);
  start_.live_nodes.resize(params.size());
  for (const Param& param : params) {
    values_.push_back(static_cast<double>(param.values.size()));
    param_bits_.push_back(bits(values_.back()));
  }
  for (NodeId id = 0; id < count; ++id) {
    if (graph.needed(id)) {
      add_node(id);
    }
  }
  add_roots();
  sample_roots(params);
}

void CostModel::add_node(NodeId id) {
  const Node& node = graph_.nodes()[id];
  std::vector<std::uint32_t>& params = params_[id];
  if (node.op == Op::load) {
    params = {node.param};
  }
  for (const NodeId operand : node.operands) {
    if (operand != kNoNode) {
      std::vector<std::uint32_t> merged;
      std::set_union(params.begin(), params.end(), params_[operand].begin(), params_[operand].end(),
                     std::back_inserter(merged));
      params = std::move(merged);
    }
  }
  node_bits_[id] = bits_of(node);
  start_.unknown_params[id] = static_cast<std::uint32_t>(params.size());
  for (const std::uint32_t param : params) {
    nodes_of_[param].push_back(id);
  }
  for (const NodeId operand : node.operands) {
    if (operand != kNoNode && !params.empty()) {
      start_.unknown_users[operand] += 1;
    }
  }
}

CostModel::Bits CostModel::bits_of(const Node& node) const {
  if (node.op == Op::load) {
    return param_bits_[node.param];
  }
  if (is_truth(node.op)) {
    return kUnit;
  }
  Bits sum = 0;
  for (const NodeId operand : node.operands) {
    sum += operand == kNoNode ? 0 : node_bits_[operand];
  }
  return std::min(sum, kMostNodeBits);
}

void CostModel::add_roots() {
  const auto& roots = graph_.roots();
  for (std::uint32_t root = 0; root < roots.size(); ++root) {
    roots_at_[roots[root].node].push_back(root);
    for (const std::uint32_t param : params_[roots[root].node]) {
      roots_of_[param].push_back(root);
    }
  }
  start_.live_params.resize(roots.size());
  start_.checked.resize(roots.size(), false);
}

// The share of random combinations for which each root holds.
void CostModel::sample_roots(std::span<const Param> params) {
  Machine machine(graph_);
  std::vector<Plan::Step> steps;
  std::vector<Cell> cells(params.size());
  for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
    const Node& node = graph_.nodes()[id];
    if (graph_.needed(id) && node.op == Op::load) {
      machine.refer(id, &cells[node.param]);
    } else if (graph_.needed(id) && node.op != Op::constant) {
      steps.push_back({Plan::Step::Kind::evaluate, id, 0});
    }
  }
  Rng rng(1);
  std::vector<int> passed(graph_.roots().size());
  for (int sample = 0; sample < kSamples; ++sample) {
    for (std::size_t p = 0; p < params.size(); ++p) {
      cells[p].value = expr::Value(params[p].values[rng.below(params[p].values.size())]);
    }
    machine.run(steps);
    for (std::size_t root = 0; root < passed.size(); ++root) {
      const Cell& cell = machine[graph_.roots()[root].node];
      passed[root] += cell.error == expr::EvalErrorCode::none && cell.value.truthy() ? 1 : 0;
    }
  }
  for (const int count : passed) {
    passing_bits_.push_back(bits((2.0 * count + 1) / (2.0 * kSamples + 1)));
  }
}

double CostModel::cost(std::span<const std::uint32_t> order, double limit) {
  at_ = start_;
  double total = 0;
  for (const std::uint32_t param : order) {
    total +=
        states() * static_cast<double>(nodes_of_[param].empty() ? 1 : std::int64_t{1} << (param_bits_[param] / kUnit));
    if (total > limit) {
      break;
    }
    bind(param);
  }
  return total;
}

double CostModel::states() const {
  const Bits sum = std::clamp<Bits>(std::min(at_.node_bits, at_.param_bits) + at_.passing_bits, 0, kMostBits);
  return std::ldexp(kFractions[sum % kUnit], static_cast<int>(sum / kUnit) - 12);
}

void CostModel::bind(std::uint32_t param) {
  visits_ += nodes_of_[param].size();
  for (const NodeId id : nodes_of_[param]) {
    if (--at_.unknown_params[id] > 0) {
      continue;
    }
    if (at_.unknown_users[id] > 0) {
      set_live(id, true);
    }
    for (const NodeId operand : graph_.nodes()[id].operands) {
      if (operand != kNoNode && !params_[operand].empty() && --at_.unknown_users[operand] == 0) {
        set_live(operand, false);
      }
    }
    for (const std::uint32_t root : roots_at_[id]) {
      at_.checked[root] = true;
      at_.passing_bits += filters(root) ? passing_bits_[root] : 0;
    }
  }
}

void CostModel::set_live(NodeId id, bool live) {
  at_.node_bits += live ? node_bits_[id] : -node_bits_[id];
  for (const std::uint32_t param : params_[id]) {
    if (live ? at_.live_nodes[param]++ == 0 : --at_.live_nodes[param] == 0) {
      count_live_param(param, live);
    }
  }
}

void CostModel::count_live_param(std::uint32_t param, bool live) {
  at_.param_bits += live ? param_bits_[param] : -param_bits_[param];
  for (const std::uint32_t root : roots_of_[param]) {
    at_.passing_bits -= filters(root) ? passing_bits_[root] : 0;
    at_.live_params[root] += live ? 1U : UINT32_MAX;
    at_.passing_bits += filters(root) ? passing_bits_[root] : 0;
  }
}

// A constraint thins out the states as long as they tell all its parameters apart.
bool CostModel::filters(std::size_t root) const {
  return at_.checked[root] && at_.live_params[root] == params_[graph_.roots()[root].node].size();
}

}  // namespace kerntune::search::detail
