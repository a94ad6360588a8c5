// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace kerntune::search::detail {
namespace {

using expr::detail::Op;

// A level is the position of a parameter in the order; nodes without parameters are known at kAlways.
constexpr std::int64_t kAlways = -1;

class Planner {
 public:
  Planner(const Graph& graph, std::span<const std::uint32_t> order) : graph_(graph), order_(order) {
    std::vector<std::int64_t> level_of_param(order.size());
    for (std::size_t level = 0; level < order.size(); ++level) {
      level_of_param[order[level]] = static_cast<std::int64_t>(level);
    }
    const std::size_t count = graph.nodes().size();
    level_.resize(count, kAlways);
    single_.resize(count, true);
    joined_.resize(count, false);
    last_use_.resize(count, kAlways);
    due_.resize(order.size() + 1);
    for (NodeId id = 0; id < count; ++id) {
      if (graph.needed(id)) {
        place(id, level_of_param);
      }
    }
  }

  Plan make() {
    Plan plan;
    plan.constants = steps(kAlways, true);
    std::vector<NodeId> state;
    for (std::size_t level = 0; level < order_.size(); ++level) {
      plan.levels.push_back(make_level(static_cast<std::int64_t>(level), std::move(state)));
      state.clear();
      for (const Plan::Output& output : plan.levels.back().outputs) {
        state.push_back(output.node);
      }
    }
    return plan;
  }

 private:
  class StepWriter;

  void place(NodeId id, const std::vector<std::int64_t>& level_of_param);
  Plan::Level make_level(std::int64_t level, std::vector<NodeId> inputs) const;
  std::vector<Plan::Step> steps(std::int64_t level, bool single) const;
  bool remembered(NodeId id, std::int64_t level) const { return level_[id] <= level && level < last_use_[id]; }
  const std::vector<NodeId>& due(std::int64_t level) const { return due_[static_cast<std::size_t>(level + 1)]; }

  const Graph& graph_;
  std::span<const std::uint32_t> order_;
  std::vector<std::int64_t> level_;       // at which the node is known
  std::vector<std::int64_t> last_use_;    // the last level of a node that uses it
  std::vector<bool> single_;              // depends on one parameter at most
  std::vector<bool> joined_;              // used by a node that is not single
  std::vector<std::vector<NodeId>> due_;  // nodes per level + 1, operands first
};

void Planner::place(NodeId id, const std::vector<std::int64_t>& level_of_param) {
  const Node& node = graph_.nodes()[id];
  level_[id] = node.op == Op::load ? level_of_param[node.param] : kAlways;
  for (const NodeId operand : node.operands) {
    if (operand != kNoNode) {
      level_[id] = std::max(level_[id], level_[operand]);
    }
  }
  for (const NodeId operand : node.operands) {
    if (operand != kNoNode) {
      const bool compatible = level_[operand] == kAlways || level_[operand] == level_[id];
      single_[id] = single_[id] && single_[operand] && compatible;
      last_use_[operand] = std::max(last_use_[operand], level_[id]);
    }
  }
  for (const NodeId operand : node.operands) {
    if (operand != kNoNode && !single_[id]) {
      joined_[operand] = true;
    }
  }
  due_[static_cast<std::size_t>(level_[id] + 1)].push_back(id);
}

/// Writes the steps of one level: every root right after what it needs.
class Planner::StepWriter {
 public:
  StepWriter(const Planner& planner, std::int64_t level, bool single)
      : planner_(planner),
        due_(planner.due(level)),
        single_(single),
        needed_(planner.level_.size(), false),
        written_(planner.level_.size(), false) {}

  void need(NodeId id) { needed_[id] = true; }
  /// Evaluates what is needed and what that needs.
  void evaluate() {
    for (const NodeId id : std::views::reverse(due_)) {
      need_operands_of(id);
    }
    for (const NodeId id : due_) {
      write(id);
    }
  }
  void check(const Root& root) {
    need(root.node);
    evaluate();
    steps_.push_back({Plan::Step::Kind::check, root.node, root.constraint});
  }
  std::vector<Plan::Step> take() { return std::move(steps_); }

 private:
  void need_operands_of(NodeId id) {
    for (const NodeId operand : planner_.graph_.nodes()[id].operands) {
      if (needed_[id] && operand != kNoNode) {
        needed_[operand] = true;
      }
    }
  }
  void write(NodeId id) {
    const Op op = planner_.graph_.nodes()[id].op;
    const bool leaf = op == Op::load || op == Op::constant;
    if (needed_[id] && !written_[id] && planner_.single_[id] == single_ && !leaf) {
      steps_.push_back({Plan::Step::Kind::evaluate, id, 0});
      written_[id] = true;
    }
  }

  const Planner& planner_;
  const std::vector<NodeId>& due_;
  bool single_;
  std::vector<bool> needed_;
  std::vector<bool> written_;
  std::vector<Plan::Step> steps_;
};

// The checks come first, in the order of the constraints, then what only the state needs.
std::vector<Plan::Step> Planner::steps(std::int64_t level, bool single) const {
  StepWriter writer(*this, level, single);
  for (const Root& root : graph_.roots()) {
    if (level_[root.node] == level && single_[root.node] == single) {
      writer.check(root);
    }
  }
  for (const NodeId id : due(level)) {
    writer.need(id);
  }
  writer.evaluate();
  return writer.take();
}

Plan::Level Planner::make_level(std::int64_t level, std::vector<NodeId> inputs) const {
  Plan::Level out;
  out.param = order_[static_cast<std::size_t>(level)];
  out.by_value = steps(level, true);
  out.by_state = steps(level, false);
  for (std::uint32_t i = 0; i < inputs.size(); ++i) {
    if (remembered(inputs[i], level)) {
      out.outputs.push_back({inputs[i], Plan::Source::state, i});
    }
  }
  for (const NodeId id : due(level)) {
    const auto index = static_cast<std::uint32_t>(out.by_value_nodes.size());
    if (single_[id] && (joined_[id] || remembered(id, level))) {
      out.by_value_nodes.push_back(id);
    }
    if (remembered(id, level)) {
      out.outputs.push_back({id, single_[id] ? Plan::Source::value : Plan::Source::both, index});
    }
  }
  out.inputs = std::move(inputs);
  return out;
}

}  // namespace

Plan make_plan(const Graph& graph, std::span<const std::uint32_t> order) { return Planner(graph, order).make(); }

}  // namespace kerntune::search::detail
