// SPDX-License-Identifier: Apache-2.0
#include "diagram.hpp"

#include <algorithm>

#include "machine.hpp"
#include "ordering.hpp"
#include "plan.hpp"
#include "reduce.hpp"

namespace kerntune::search::detail {
namespace {

// A few hundred MiB, and seconds. A definition beyond them couples too many parameters. The largest of the recorded
// spaces, hotspot, has 17,000 states in a level and 100,000 edges.
constexpr std::size_t kMaxStates = std::size_t{1} << 20;
constexpr std::size_t kMaxEdges = std::size_t{1} << 25;

/// Extends all partial configurations level by level, merging those of equal state.
class Builder {
 public:
  Builder(std::span<const Param> params, const expr::Symbols& symbols, std::span<const expr::Expression> constraints,
          ParamSpace::EvaluationErrors& errors);
  Diagram build();

 private:
  /// How a state was first reached, to name the values behind an error.
  struct Origin {
    std::uint32_t parent;
    std::uint32_t value;
  };
  /// A value that passes the conditions on its parameter alone.
  struct Allowed {
    std::uint32_t value;
    std::vector<Cell> cells;         // of by_value_nodes
    std::vector<std::uint32_t> ids;  // theirs, of those that are part of the state
  };

  Diagram::Layer extend(std::size_t level);
  void check_size(std::size_t level, std::size_t edges) const;
  std::vector<Allowed> allowed_values(const Plan::Level& level);
  void extend_state(std::size_t level, std::uint32_t state, const std::vector<Allowed>& allowed, Diagram::Layer& layer);
  std::uint32_t next_state(const Plan::Level& level, std::span<const std::uint32_t> state, const Allowed& value);
  void rejected(const Plan::Step& check, std::size_t level, std::uint32_t state, std::uint32_t value);
  std::vector<expr::Value> values_behind(std::size_t level, std::uint32_t state) const;

  std::span<const Param> params_;
  const expr::Symbols& symbols_;
  std::span<const expr::Expression> constraints_;
  ParamSpace::EvaluationErrors& errors_;
  Graph graph_;
  Plan plan_;
  std::vector<NodeId> load_of_;  // per parameter; kNoNode if no constraint reads it
  Machine machine_;
  std::vector<CellInterner> known_;           // per node, filled while the node is part of a state
  std::vector<std::vector<Origin>> origins_;  // per level, per state
  TupleInterner states_{0};
  TupleInterner next_{0};
  std::vector<std::uint32_t> tuple_;
  std::size_t edges_ = 0;
};

Graph graph_of(std::span<const expr::Expression> constraints) {
  Graph graph;
  for (const expr::Expression& constraint : constraints) {
    graph.add_constraint(constraint);
  }
  return graph;
}

Builder::Builder(std::span<const Param> params, const expr::Symbols& symbols,
                 std::span<const expr::Expression> constraints, ParamSpace::EvaluationErrors& errors)
    : params_(params),
      symbols_(symbols),
      constraints_(constraints),
      errors_(errors),
      graph_(graph_of(constraints)),
      plan_(make_plan(graph_, order_params(graph_, params))),
      load_of_(params.size(), kNoNode),
      machine_(graph_),
      known_(graph_.nodes().size()),
      origins_(params.size() + 1) {
  for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
    const Node& node = graph_.nodes()[id];
    if (node.op == expr::detail::Op::load && graph_.needed(id)) {
      load_of_[node.param] = id;
    }
  }
}

Diagram Builder::build() {
  Diagram diagram;
  if (const Plan::Step* failed = machine_.run(plan_.constants)) {
    rejected(*failed, 0, 0, 0);
    return diagram;
  }
  states_.intern({});
  origins_[0].push_back({});
  diagram.layer_of.resize(params_.size());
  for (std::size_t level = 0; level < plan_.levels.size() && states_.size() > 0; ++level) {
    diagram.layer_of[plan_.levels[level].param] = static_cast<std::uint32_t>(level);
    diagram.layers.push_back(extend(level));
  }
  if (states_.size() > 0) {
    reduce(diagram);
  }
  return diagram;
}

Diagram::Layer Builder::extend(std::size_t level) {
  const Plan::Level& plan = plan_.levels[level];
  next_ = TupleInterner(plan.outputs.size());
  tuple_.resize(plan.outputs.size());
  Diagram::Layer layer;
  layer.param = plan.param;
  const std::vector<Allowed> allowed = allowed_values(plan);
  for (std::uint32_t state = 0; state < states_.size(); ++state) {
    layer.first.push_back(static_cast<std::uint32_t>(layer.edges.size()));
    extend_state(level, state, allowed, layer);
    check_size(level, edges_ + layer.edges.size());
  }
  layer.first.push_back(static_cast<std::uint32_t>(layer.edges.size()));
  edges_ += layer.edges.size();
  std::swap(states_, next_);
  return layer;
}

void Builder::check_size(std::size_t level, std::size_t edges) const {
  if (next_.size() <= kMaxStates && edges <= kMaxEdges) {
    return;
  }
  std::string bound;
  for (std::size_t i = 0; i <= level; ++i) {
    bound += (i == 0 ? "" : ", ") + params_[plan_.levels[i].param].name;
  }
  throw SpaceError("constraints couple too many parameters: with " + bound + " chosen, more than " +
                   std::to_string(next_.size()) +
                   " combinations would have to be told apart; give them fewer values or split the constraints");
}

std::vector<Builder::Allowed> Builder::allowed_values(const Plan::Level& plan) {
  std::vector<Allowed> allowed;
  const NodeId load = load_of_[plan.param];
  const auto& values = params_[plan.param].values;
  for (std::uint32_t value = 0; value < values.size(); ++value) {
    const Cell cell = {expr::Value(values[value]), expr::EvalErrorCode::none, kNoNode};
    if (load != kNoNode) {
      machine_.refer(load, &cell);
    }
    if (const Plan::Step* failed = machine_.run(plan.by_value)) {
      rejected(*failed, static_cast<std::size_t>(&plan - plan_.levels.data()), 0, value);
      continue;
    }
    Allowed& kept = allowed.emplace_back();
    kept.value = value;
    for (const NodeId node : plan.by_value_nodes) {
      kept.cells.push_back(machine_[node]);
      kept.ids.push_back(known_[node].intern(machine_[node]));
    }
  }
  return allowed;
}

void Builder::extend_state(std::size_t level, std::uint32_t state, const std::vector<Allowed>& allowed,
                           Diagram::Layer& layer) {
  const Plan::Level& plan = plan_.levels[level];
  const std::span<const std::uint32_t> ids = states_[state];
  for (std::size_t i = 0; i < ids.size(); ++i) {
    machine_.refer(plan.inputs[i], &known_[plan.inputs[i]][ids[i]]);
  }
  for (const Allowed& value : allowed) {
    for (std::size_t i = 0; i < plan.by_value_nodes.size(); ++i) {
      machine_.refer(plan.by_value_nodes[i], &value.cells[i]);
    }
    if (const Plan::Step* failed = machine_.run(plan.by_state)) {
      rejected(*failed, level, state, value.value);
      continue;
    }
    const std::uint32_t child = next_state(plan, ids, value);
    if (child == origins_[level + 1].size()) {
      origins_[level + 1].push_back({state, value.value});
    }
    layer.edges.push_back({value.value, child});
  }
}

std::uint32_t Builder::next_state(const Plan::Level& plan, std::span<const std::uint32_t> state, const Allowed& value) {
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const Plan::Output& output = plan.outputs[i];
    switch (output.source) {
      case Plan::Source::state:
        tuple_[i] = state[output.index];
        break;
      case Plan::Source::value:
        tuple_[i] = value.ids[output.index];
        break;
      case Plan::Source::both:
        tuple_[i] = known_[output.node].intern(machine_[output.node]);
        break;
    }
  }
  return next_.intern(tuple_);
}

void Builder::rejected(const Plan::Step& check, std::size_t level, std::uint32_t state, std::uint32_t value) {
  const Cell& cell = machine_[check.node];
  if (cell.error == expr::EvalErrorCode::none || ++errors_.count > 1) {
    return;
  }
  std::vector<expr::Value> values = values_behind(level, state);
  if (level < plan_.levels.size()) {
    const std::uint32_t param = plan_.levels[level].param;
    values[param] = expr::Value(params_[param].values[value]);
  }
  const expr::Evaluation failed = {expr::Value(), cell.error, graph_.offset_in(check.constraint, cell.origin)};
  errors_.first = constraints_[check.constraint].explain(failed, symbols_, values);
}

std::vector<expr::Value> Builder::values_behind(std::size_t level, std::uint32_t state) const {
  std::vector<expr::Value> values(params_.size());
  while (level > 0) {
    const Origin origin = origins_[level][state];
    const std::uint32_t param = plan_.levels[--level].param;
    values[param] = expr::Value(params_[param].values[origin.value]);
    state = origin.parent;
  }
  return values;
}

}  // namespace

const Diagram::Edge* Diagram::Layer::find(std::uint32_t node, std::uint32_t value) const {
  const auto all = edges_of(node);
  const auto at = std::ranges::lower_bound(all, value, {}, &Edge::value);
  return at != all.end() && at->value == value ? &*at : nullptr;
}

std::vector<std::uint32_t> Diagram::walk(std::size_t level, std::uint32_t node, const Config& config) const {
  std::vector<std::uint32_t> path;
  for (; level < layers.size(); ++level) {
    path.push_back(node);
    const Edge* const edge = layers[level].find(node, config[layers[level].param]);
    if (edge == nullptr) {
      break;
    }
    node = edge->child;
  }
  return path;
}

bool Diagram::reaches_end(std::size_t level, std::uint32_t node, const Config& config) const {
  for (; level < layers.size(); ++level) {
    const Edge* const edge = layers[level].find(node, config[layers[level].param]);
    if (edge == nullptr) {
      return false;
    }
    node = edge->child;
  }
  return true;
}

std::size_t Diagram::memory_bytes() const {
  std::size_t bytes = 0;
  for (const Layer& layer : layers) {
    bytes += layer.first.capacity() * sizeof(std::uint32_t) + layer.edges.capacity() * sizeof(Edge) +
             layer.counts.capacity() * sizeof(Count);
  }
  return bytes;
}

Diagram build_diagram(std::span<const Param> params, const expr::Symbols& symbols,
                      std::span<const expr::Expression> constraints, ParamSpace::EvaluationErrors& errors) {
  return Builder(params, symbols, constraints, errors).build();
}

}  // namespace kerntune::search::detail
