// SPDX-License-Identifier: Apache-2.0
#include "ordering.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kerntune::search::detail {
namespace {

using expr::detail::Op;

// Greedy searches that one group may cost, in visits of nodes; measured at 2 to 4 ns each.
constexpr std::size_t kMaxVisits = 100'000;
// Products and sums of many values coincide often; none of the known spaces tells more apart.
constexpr double kMaxBits = 16;
// Bits are summed as integers, so that taking back is exact and ties are ties.
constexpr double kBitsUnit = 1024;

bool is_truth(Op op) {
  return (op >= Op::equal && op <= Op::greater_equal) || op == Op::logical_not || op == Op::to_bool ||
         op == Op::is_pow2 || op == Op::member;
}

/// Which sub-expressions are known after binding some parameters, and how many bits tell the live ones apart: those
/// that are known and used by one that is not.
class Frontier {
 public:
  Frontier(const Graph& graph, std::span<const std::size_t> sizes) : graph_(graph), sizes_(sizes) {
    const std::size_t count = graph.nodes().size();
    users_unknown_.resize(count);
    bits_.resize(count);
    params_.resize(count);
    users_of_.resize(sizes.size());
    for (NodeId id = 0; id < count; ++id) {
      add(id);
    }
  }

  void bind(std::uint32_t param) {
    for (const NodeId id : users_of_[param]) {
      if (--unknown_[id] == 0) {
        known(id, 1);
      }
    }
  }

  void unbind(std::uint32_t param) {
    for (auto id = users_of_[param].rbegin(); id != users_of_[param].rend(); ++id) {
      if (unknown_[*id]++ == 0) {
        known(*id, -1);
      }
    }
  }

  std::int64_t live_bits() const { return live_bits_; }
  const std::vector<NodeId>& users_of(std::uint32_t param) const { return users_of_[param]; }
  const std::vector<std::uint32_t>& params_of(NodeId id) const { return params_[id]; }

 private:
  void add(NodeId id);
  std::int64_t bits_of(const Node& node) const;
  void known(NodeId id, int sign);
  void count_live(NodeId id, int sign) { live_bits_ += users_unknown_[id] > 0 ? sign * bits_[id] : 0; }

  const Graph& graph_;
  std::span<const std::size_t> sizes_;
  std::vector<std::vector<std::uint32_t>> params_;  // per node, sorted
  std::vector<std::vector<NodeId>> users_of_;       // per parameter: nodes that depend on it, operands first
  std::vector<std::uint32_t> unknown_;              // per node: parameters not bound
  std::vector<std::uint32_t> users_unknown_;        // per node: uses by nodes that are not known
  std::vector<std::int64_t> bits_;                  // per node: log2 of how many values it may take
  std::int64_t live_bits_ = 0;
};

void Frontier::add(NodeId id) {
  const Node& node = graph_.nodes()[id];
  std::vector<std::uint32_t>& params = params_[id];
  unknown_.push_back(0);
  if (!graph_.needed(id)) {
    return;
  }
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
  bits_[id] = bits_of(node);
  unknown_[id] = static_cast<std::uint32_t>(params.size());
  for (const std::uint32_t param : params) {
    users_of_[param].push_back(id);
  }
  for (const NodeId operand : node.operands) {
    if (operand != kNoNode && !params.empty()) {
      users_unknown_[operand] += 1;
    }
  }
}

std::int64_t Frontier::bits_of(const Node& node) const {
  if (node.op == Op::load) {
    return std::lround(kBitsUnit * std::log2(static_cast<double>(sizes_[node.param])));
  }
  if (is_truth(node.op)) {
    return std::lround(kBitsUnit);
  }
  std::int64_t sum = 0;
  for (const NodeId operand : node.operands) {
    sum += operand == kNoNode ? 0 : bits_[operand];
  }
  return std::min(sum, std::int64_t{std::lround(kBitsUnit * kMaxBits)});
}

void Frontier::known(NodeId id, int sign) {
  if (sign > 0) {
    count_live(id, sign);
  }
  for (const NodeId operand : graph_.nodes()[id].operands) {
    if (operand != kNoNode && !params_[operand].empty()) {
      count_live(operand, -1);
      users_unknown_[operand] -= static_cast<std::uint32_t>(sign);
      count_live(operand, 1);
    }
  }
  if (sign < 0) {
    count_live(id, sign);
  }
}

/// One order of a group and an estimate of the work it takes: the sum over its levels of states times values.
struct Candidate {
  std::vector<std::uint32_t> order;
  double cost = 0;
};

std::uint32_t best_next(Frontier& frontier, const std::vector<std::uint32_t>& left) {
  std::uint32_t best = left.front();
  std::int64_t best_bits = INT64_MAX;
  for (const std::uint32_t param : left) {
    frontier.bind(param);
    if (frontier.live_bits() < best_bits) {
      best = param;
      best_bits = frontier.live_bits();
    }
    frontier.unbind(param);
  }
  return best;
}

Candidate greedy_from(std::uint32_t start, std::vector<std::uint32_t> left, Frontier& frontier,
                      std::span<const std::size_t> sizes) {
  Candidate result;
  for (std::uint32_t next = start;; next = best_next(frontier, left)) {
    result.cost += std::exp2(static_cast<double>(frontier.live_bits()) / kBitsUnit) * static_cast<double>(sizes[next]);
    frontier.bind(next);
    result.order.push_back(next);
    left.erase(std::find(left.begin(), left.end(), next));
    if (left.empty()) {
      break;
    }
  }
  std::for_each(result.order.rbegin(), result.order.rend(), [&](std::uint32_t param) { frontier.unbind(param); });
  return result;
}

// Begins at the parameters that take part in least, the ends of chains, because a start in the middle of a chain has to
// remember it until the far end is reached.
Candidate best_order(const std::vector<std::uint32_t>& group, Frontier& frontier, std::span<const std::size_t> sizes) {
  std::vector<std::uint32_t> starts = group;
  std::stable_sort(starts.begin(), starts.end(), [&frontier](std::uint32_t a, std::uint32_t b) {
    return frontier.users_of(a).size() < frontier.users_of(b).size();
  });
  std::size_t uses = 0;
  for (const std::uint32_t param : group) {
    uses += frontier.users_of(param).size();
  }
  starts.resize(std::clamp<std::size_t>(kMaxVisits / (uses * group.size()), 1, starts.size()));
  Candidate best;
  for (const std::uint32_t start : starts) {
    Candidate candidate = greedy_from(start, group, frontier, sizes);
    if (best.order.empty() || candidate.cost < best.cost) {
      best = std::move(candidate);
    }
  }
  return best;
}

/// Parameters that are connected by constraints, in declared order.
std::vector<std::vector<std::uint32_t>> groups_of(const Graph& graph, const Frontier& frontier, std::size_t count) {
  std::vector<std::uint32_t> leader(count);
  std::iota(leader.begin(), leader.end(), 0U);
  const auto find = [&leader](std::uint32_t param) {
    while (leader[param] != param) {
      param = leader[param] = leader[leader[param]];
    }
    return param;
  };
  for (const Root& root : graph.roots()) {
    const auto& params = frontier.params_of(root.node);
    for (const std::uint32_t param : params) {
      leader[std::max(find(param), find(params.front()))] = std::min(find(param), find(params.front()));
    }
  }
  std::vector<std::vector<std::uint32_t>> members(count);
  for (std::uint32_t param = 0; param < count; ++param) {
    members[find(param)].push_back(param);
  }
  std::erase_if(members, [](const auto& group) { return group.empty(); });
  return members;
}

}  // namespace

std::vector<std::uint32_t> order_params(const Graph& graph, std::span<const std::size_t> sizes) {
  Frontier frontier(graph, sizes);
  std::vector<std::vector<std::uint32_t>> groups = groups_of(graph, frontier, sizes.size());
  std::stable_partition(groups.begin(), groups.end(), [](const auto& group) { return group.size() == 1; });
  std::vector<std::uint32_t> order;
  for (const auto& group : groups) {
    const std::vector<std::uint32_t> part = group.size() == 1 ? group : best_order(group, frontier, sizes).order;
    order.insert(order.end(), part.begin(), part.end());
  }
  return order;
}

}  // namespace kerntune::search::detail
