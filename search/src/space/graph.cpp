// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <bit>
#include <functional>
#include <string_view>
#include <utility>

#include "hash.hpp"

namespace kerntune::search::detail {

using expr::Value;
using expr::detail::Instruction;
using expr::detail::Op;
using expr::detail::Program;

namespace {

std::uint64_t bits_of(const Value& value) noexcept {
  return value.kind() == Value::Kind::real ? std::bit_cast<std::uint64_t>(value.real())
                                           : static_cast<std::uint64_t>(value.integer());
}

}  // namespace

bool identical(const Value& a, const Value& b) noexcept {
  if (a.kind() != b.kind()) {
    return false;
  }
  return a.kind() == Value::Kind::string ? a.string() == b.string() : bits_of(a) == bits_of(b);
}

std::uint64_t hash_of(const Value& value) noexcept {
  const auto kind = static_cast<std::uint64_t>(value.kind());
  return mix(kind,
             value.kind() == Value::Kind::string ? std::hash<std::string_view>()(value.string()) : bits_of(value));
}

std::size_t Graph::Hash::operator()(const Node& node) const noexcept {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(node.op), node.param);
  for (const NodeId operand : node.operands) {
    hash = mix(hash, operand);
  }
  return mix(hash, hash_of(node.constant));
}

bool Graph::Equal::operator()(const Node& a, const Node& b) const noexcept {
  return a.op == b.op && a.operands == b.operands && a.param == b.param && identical(a.constant, b.constant);
}

// Runs a program on nodes instead of values. Every jump opens a node that is complete where the jump lands.
class Graph::Lift {
 public:
  Lift(Graph& graph, const Program& program, std::unordered_map<NodeId, std::uint32_t>& offsets)
      : graph_(graph), program_(program), offsets_(offsets) {}

  NodeId run() {
    for (at_ = 0; at_ < program_.code.size(); ++at_) {
      close();
      step(program_.code[at_]);
    }
    close();
    return pop();
  }

 private:
  struct Open {
    std::size_t end;
    Op op;
    NodeId first;
    NodeId second;  // of a conditional
  };

  NodeId pop() {
    const NodeId node = stack_.back();
    stack_.pop_back();
    return node;
  }

  void push(NodeId node, const Instruction& instruction) {
    offsets_.emplace(node, instruction.offset);
    stack_.push_back(node);
  }

  void open(const Instruction& jump, Op op, NodeId first, NodeId second = kNoNode) {
    open_.push_back({at_ + 1 + jump.argument, op, first, second});
  }

  void close() {
    while (!open_.empty() && open_.back().end == at_) {
      const Open open = open_.back();
      open_.pop_back();
      const NodeId last = pop();
      stack_.push_back(open.op == Op::jump_if_false ? graph_.make(open.op, open.first, open.second, last)
                                                    : graph_.make(open.op, open.first, last));
    }
  }

  void step(const Instruction& instruction) {
    const Op op = instruction.op;
    if (is_unary(op)) {
      push(graph_.make(op, pop()), instruction);
    } else if (is_binary(op)) {
      const NodeId right = pop();
      push(graph_.make(op, pop(), right), instruction);
    } else {
      control(instruction);
    }
  }

  void control(const Instruction& instruction) {
    switch (instruction.op) {
      case Op::constant:
        push(graph_.intern({.constant = program_.constants[instruction.argument]}), instruction);
        break;
      case Op::load:
        push(graph_.intern({.op = Op::load, .param = instruction.argument}), instruction);
        break;
      case Op::member:
        member(instruction);
        break;
      case Op::member_end:
        stack_.erase(stack_.end() - 2);
        break;
      case Op::chain:
        chain(instruction);
        break;
      case Op::jump_if_false:
        conditions_.push_back(pop());
        break;
      case Op::jump:
        open(instruction, Op::jump_if_false, conditions_.back(), pop());
        conditions_.pop_back();
        break;
      default:
        open(instruction, instruction.op, pop());
        break;
    }
  }

  void member(const Instruction& instruction) {
    const NodeId element = pop();
    const NodeId found = pop();
    push(graph_.make(Op::member, stack_.back(), found, element), instruction);
  }

  void chain(const Instruction& instruction) {
    const NodeId right = pop();
    const NodeId link = graph_.make(instruction.chained, pop(), right);
    offsets_.emplace(link, instruction.offset);
    open(instruction, Op::and_keep, link);
    stack_.push_back(right);
  }

  Graph& graph_;
  const Program& program_;
  std::unordered_map<NodeId, std::uint32_t>& offsets_;
  std::size_t at_ = 0;
  std::vector<NodeId> stack_;
  std::vector<NodeId> conditions_;
  std::vector<Open> open_;
};

NodeId Graph::intern(const Node& node) {
  const auto [at, added] = known_.emplace(node, static_cast<NodeId>(nodes_.size()));
  if (added) {
    nodes_.push_back(node);
    needed_.push_back(false);
  }
  return at->second;
}

NodeId Graph::make(Op op, NodeId a, NodeId b, NodeId c) { return intern({.op = op, .operands = {a, b, c}}); }

void Graph::add_constraint(const expr::Expression& expression) {
  offsets_.emplace_back();
  const NodeId node = Lift(*this, expression.program(), offsets_.back()).run();
  split(node, static_cast<std::uint32_t>(offsets_.size() - 1));
}

// Only its truth matters, so a conjunction may be checked part by part, each as soon as its parameters are known.
void Graph::split(NodeId node, std::uint32_t constraint) {
  std::vector<NodeId> parts = {node};  // the first part last
  while (!parts.empty()) {
    const NodeId part = parts.back();
    parts.pop_back();
    if (!split_once(part, parts)) {
      roots_.push_back({part, constraint});
      mark_needed(part);
    }
  }
}

void Graph::mark_needed(NodeId root) {
  std::vector<NodeId> open = {root};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (id != kNoNode && !needed_[id]) {
      needed_[id] = true;
      open.insert(open.end(), nodes_[id].operands.begin(), nodes_[id].operands.end());
    }
  }
}

bool Graph::split_once(NodeId id, std::vector<NodeId>& parts) {
  const Node node = nodes_[id];
  if (node.op == Op::and_keep) {
    parts.push_back(node.operands[1]);
    parts.push_back(node.operands[0]);
    return true;
  }
  if (node.op != Op::logical_not) {
    return false;
  }
  const Node negated = nodes_[node.operands[0]];
  if (negated.op == Op::or_keep) {
    parts.push_back(make(Op::logical_not, negated.operands[1]));
    parts.push_back(make(Op::logical_not, negated.operands[0]));
    return true;
  }
  if (negated.op == Op::logical_not) {
    parts.push_back(negated.operands[0]);
    return true;
  }
  return false;
}

std::uint32_t Graph::offset_in(std::uint32_t constraint, NodeId node) const {
  const auto found = offsets_[constraint].find(node);
  return found == offsets_[constraint].end() ? 0 : found->second;
}

}  // namespace kerntune::search::detail
