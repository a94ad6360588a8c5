// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <kerntune/expr/expression.hpp>

#include "expr/program.hpp"

namespace kerntune::search::detail {

using NodeId = std::uint32_t;
constexpr NodeId kNoNode = UINT32_MAX;

/// One sub-expression: a pure function of its operands. `op` is an operator, or
///   constant; load (a parameter); member (found or x == element; operands x, found, element);
///   and_keep, or_keep (operands left, right); jump_if_false (operands condition, value if true, value if false).
struct Node {
  expr::detail::Op op = expr::detail::Op::constant;
  std::array<NodeId, 3> operands = {kNoNode, kNoNode, kNoNode};
  std::uint32_t param = 0;
  expr::Value constant = {};
};

/// A condition that must hold, and the constraint that it is a part of.
struct Root {
  NodeId node = kNoNode;
  std::uint32_t constraint = 0;
};

/// All constraints of a space as one graph in which equal sub-expressions are one node. Operands come before the nodes
/// that use them.
class Graph {
 public:
  /// Adds a constraint, cut into the smallest parts that must each hold. Its slots are parameters, and `expression`
  /// must outlive the graph.
  void add_constraint(const expr::Expression& expression);

  const std::vector<Node>& nodes() const noexcept { return nodes_; }
  const std::vector<Root>& roots() const noexcept { return roots_; }
  /// False for what only stood between the parts of a constraint.
  bool needed(NodeId node) const { return needed_[node]; }
  /// Where the operator of `node` stands in the text of `constraint`.
  std::uint32_t offset_in(std::uint32_t constraint, NodeId node) const;

 private:
  struct Hash {
    std::size_t operator()(const Node& node) const noexcept;
  };
  struct Equal {
    bool operator()(const Node& a, const Node& b) const noexcept;
  };
  class Lift;

  NodeId intern(const Node& node);
  NodeId make(expr::detail::Op op, NodeId a, NodeId b = kNoNode, NodeId c = kNoNode);
  void split(NodeId node, std::uint32_t constraint);
  bool split_once(NodeId node, std::vector<NodeId>& parts);
  void mark_needed(NodeId root);

  std::vector<Node> nodes_;
  std::vector<Root> roots_;
  std::vector<bool> needed_;
  std::unordered_map<Node, NodeId, Hash, Equal> known_;
  std::vector<std::unordered_map<NodeId, std::uint32_t>> offsets_;  // per constraint
};

/// True if the two values are the same thing: 1, 1.0 and True are not.
bool identical(const expr::Value& a, const expr::Value& b) noexcept;
std::uint64_t hash_of(const expr::Value& value) noexcept;

}  // namespace kerntune::search::detail
