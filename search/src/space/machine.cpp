// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

namespace kerntune::search::detail {

using expr::EvalErrorCode;
using expr::detail::Op;

namespace {

bool failed(const Cell& cell) { return cell.error != EvalErrorCode::none; }

}  // namespace

Machine::Machine(const Graph& graph) : graph_(graph), own_(graph.nodes().size()) {
  for (NodeId id = 0; id < own_.size(); ++id) {
    own_[id].value = graph.nodes()[id].constant;
    read_.push_back(&own_[id]);
  }
}

const Plan::Step* Machine::run(const std::vector<Plan::Step>& steps) {
  for (const Plan::Step& step : steps) {
    if (step.kind == Plan::Step::Kind::evaluate) {
      evaluate(step.node);
    } else if (const Cell& cell = *read_[step.node]; failed(cell) || !cell.value.truthy()) {
      return &step;
    }
  }
  return nullptr;
}

void Machine::evaluate(NodeId id) {
  const Node& node = graph_.nodes()[id];
  Cell& out = own_[id];
  read_[id] = &out;
  if (is_binary(node.op)) {
    const Cell& a = operand(node, 0);
    const Cell& b = operand(node, 1);
    if (failed(a) || failed(b)) {
      out = failed(a) ? a : b;
      return;
    }
    out.error = expr::detail::apply(node.op, a.value, b.value, out.value);
    out.origin = id;
  } else if (is_unary(node.op)) {
    const Cell& a = operand(node, 0);
    if (failed(a)) {
      out = a;
      return;
    }
    out.error = expr::detail::apply(node.op, a.value, out.value);
    out.origin = id;
  } else {
    out = node.op == Op::member ? member(node) : choose(node);
  }
}

// and, or, and conditionals, which return one of their operands.
Cell Machine::choose(const Node& node) const {
  const Cell& decisive = operand(node, 0);
  if (failed(decisive)) {
    return decisive;
  }
  const bool truth = decisive.value.truthy();
  if (node.op == Op::jump_if_false) {
    return operand(node, truth ? 1 : 2);
  }
  return truth == (node.op == Op::or_keep) ? decisive : operand(node, 1);
}

Cell Machine::member(const Node& node) const {
  for (std::size_t i = 0; i < 3; ++i) {
    if (failed(operand(node, i))) {
      return operand(node, i);
    }
  }
  const bool found = operand(node, 1).value.truthy() || equal(operand(node, 0).value, operand(node, 2).value);
  return {expr::Value(found), EvalErrorCode::none, kNoNode};
}

}  // namespace kerntune::search::detail
