// SPDX-License-Identifier: Apache-2.0
#include "ordering.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cost_model.hpp"

namespace kerntune::search::detail {
namespace {

using Order = std::vector<std::uint32_t>;

// FORCE settles after a few rounds; long chains in a bad order take more.
constexpr int kForceRounds = 60;
// The search may visit as many nodes as the build is estimated to have edges, but no more than this: 10 ms.
constexpr double kMaxVisits = 1e6;
// What makes a move worth it.
constexpr double kGain = 0.99;

/// Finds an order of one connected group of parameters.
class GroupOrder {
 public:
  /// `constraints`: the parameters of each, of this group or another one.
  GroupOrder(CostModel& model, const std::vector<Order>& constraints, Order group)
      : model_(model), group_(std::move(group)) {
    positions_.resize(group_.back() + 1);
    for (const Order& params : constraints) {
      if (std::ranges::binary_search(group_, params.front())) {
        constraints_.push_back(&params);
      }
    }
  }

  Order find() {
    settle(group_);
    settle(breadth_first());
    improve();
    return best_;
  }

 private:
  void settle(Order order);
  Order pulled_together(const Order& order);
  Order breadth_first();
  Order layers_from(std::uint32_t start) const;
  void improve();
  void try_moves_of(std::uint32_t param);

  void keep_if_better(const Order& order) {
    const double cost = model_.cost(order, best_cost_);
    if (best_.empty() || cost < best_cost_) {
      best_ = order;
      best_cost_ = cost;
    }
  }

  CostModel& model_;
  Order group_;                            // sorted
  std::vector<const Order*> constraints_;  // their parameters
  std::vector<double> positions_;          // scratch, per parameter
  Order best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
};

void GroupOrder::settle(Order order) {
  keep_if_better(order);
  for (int round = 0; round < kForceRounds; ++round) {
    Order next = pulled_together(order);
    if (next == order) {
      break;
    }
    order = std::move(next);
    keep_if_better(order);
  }
}

// One round of FORCE.
Order GroupOrder::pulled_together(const Order& order) {
  std::vector<double> pull(positions_.size(), 0);
  std::vector<double> constraints(positions_.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    positions_[order[i]] = static_cast<double>(i);
  }
  for (const auto* const params : constraints_) {
    double centre = 0;
    for (const std::uint32_t param : *params) {
      centre += positions_[param] / static_cast<double>(params->size());
    }
    for (const std::uint32_t param : *params) {
      pull[param] += centre;
      constraints[param] += 1;
    }
  }
  std::vector<std::pair<double, std::size_t>> places;  // and the place before, which decides between equals
  for (std::size_t i = 0; i < order.size(); ++i) {
    places.emplace_back(pull[order[i]] / constraints[order[i]], i);
  }
  std::ranges::sort(places);
  Order next;
  for (const auto& [place, before] : places) {
    next.push_back(order[before]);
  }
  return next;
}

// From one far end of the group to the other, whatever the order of declaration is.
Order GroupOrder::breadth_first() {
  const Order from_anywhere = layers_from(group_.front());
  return layers_from(from_anywhere.back());
}

Order GroupOrder::layers_from(std::uint32_t start) const {
  Order order = {start};
  std::vector<bool> reached(positions_.size(), false);
  reached[start] = true;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const auto* const params : constraints_) {
      if (!std::ranges::binary_search(*params, order[i])) {
        continue;
      }
      for (const std::uint32_t param : *params) {
        if (!reached[param]) {
          reached[param] = true;
          order.push_back(param);
        }
      }
    }
  }
  return order;
}

// Moves single parameters to better places while it pays.
void GroupOrder::improve() {
  const double end = static_cast<double>(model_.visits()) + std::min(best_cost_, kMaxVisits);
  for (bool better = true; better;) {
    const double before = best_cost_;
    for (const std::uint32_t param : group_) {
      if (static_cast<double>(model_.visits()) > end) {
        return;
      }
      try_moves_of(param);
    }
    better = best_cost_ < before;
  }
}

void GroupOrder::try_moves_of(std::uint32_t param) {
  Order rest = best_;
  rest.erase(std::ranges::find(rest, param));
  for (std::size_t place = 0; place <= rest.size(); ++place) {
    Order moved = rest;
    moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(place), param);
    const double cost = model_.cost(moved, best_cost_ * kGain);
    if (cost < best_cost_ * kGain) {
      best_ = std::move(moved);
      best_cost_ = cost;
    }
  }
}

/// The parameters of each constraint, without those of one value: they are no choice and connect nothing.
std::vector<Order> choices_of(const Graph& graph, const CostModel& model, std::span<const Param> params) {
  std::vector<Order> out;
  for (const Root& root : graph.roots()) {
    Order choices = model.params_of(root.node);
    std::erase_if(choices, [params](std::uint32_t param) { return params[param].values.size() == 1; });
    if (!choices.empty()) {
      out.push_back(std::move(choices));
    }
  }
  return out;
}

/// Parameters that are connected by constraints, in declared order.
std::vector<Order> groups_of(const std::vector<Order>& constraints, std::size_t count) {
  Order leader(count);
  std::iota(leader.begin(), leader.end(), 0U);
  const auto find = [&leader](std::uint32_t param) {
    while (leader[param] != param) {
      param = leader[param] = leader[leader[param]];
    }
    return param;
  };
  for (const Order& params : constraints) {
    for (const std::uint32_t param : params) {
      const std::uint32_t a = find(param);
      const std::uint32_t b = find(params.front());
      leader[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<Order> members(count);
  for (std::uint32_t param = 0; param < count; ++param) {
    members[find(param)].push_back(param);
  }
  std::erase_if(members, [](const Order& group) { return group.empty(); });
  return members;
}

}  // namespace

Order order_params(const Graph& graph, std::span<const Param> params) {
  CostModel model(graph, params);
  const std::vector<Order> constraints = choices_of(graph, model, params);
  const std::vector<Order> groups = groups_of(constraints, params.size());
  Order order;
  for (const Order& group : groups) {
    if (group.size() == 1) {
      order.push_back(group.front());
    }
  }
  for (const Order& group : groups) {
    if (group.size() > 1) {
      const Order part = GroupOrder(model, constraints, group).find();
      order.insert(order.end(), part.begin(), part.end());
    }
  }
  return order;
}

}  // namespace kerntune::search::detail
