// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "interner.hpp"
#include "plan.hpp"

namespace kerntune::search::detail {

/// Evaluates nodes of a graph. Where Python skips an operand, both are known here anyway: since nodes are pure, it is
/// enough to ignore the one that Python would not have looked at, even if it is an error.
class Machine {
 public:
  explicit Machine(const Graph& graph);

  /// Makes `node` read `cell`, which must stay, until it is evaluated.
  void refer(NodeId node, const Cell* cell) { read_[node] = cell; }
  const Cell& operator[](NodeId node) const { return *read_[node]; }

  /// Runs steps until a check does not hold. Returns that check, or null.
  const Plan::Step* run(const std::vector<Plan::Step>& steps);

 private:
  void evaluate(NodeId id);
  Cell choose(const Node& node) const;
  Cell member(const Node& node) const;
  const Cell& operand(const Node& node, std::size_t i) const { return *read_[node.operands[i]]; }

  const Graph& graph_;
  std::vector<Cell> own_;
  std::vector<const Cell*> read_;
};

}  // namespace kerntune::search::detail
