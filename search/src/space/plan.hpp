// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph.hpp"

namespace kerntune::search::detail {

/// How to extend partial configurations by one parameter after the other.
///
/// After some parameters are bound, all that the constraints still need to know are the values of the sub-expressions
/// that are complete and used by one that is not: the state. Partial configurations with equal states have the same
/// continuations. For x * y + z <= 9 in this order the states are: x; x * y; nothing.
struct Plan {
  struct Step {
    enum class Kind : std::uint8_t { evaluate, check } kind = Kind::evaluate;
    NodeId node = kNoNode;
    std::uint32_t constraint = 0;  // of a check
  };
  enum class Source : std::uint8_t {
    state,  // at `index` in the state before
    value,  // follows from the new parameter's value alone; at `index` in by_value_nodes
    both,   // of the node itself, after by_state
  };
  struct Output {
    NodeId node = kNoNode;
    Source source = Source::both;
    std::uint32_t index = 0;
  };
  struct Level {
    std::uint32_t param = 0;
    std::vector<NodeId> inputs;          // the state before
    std::vector<Step> by_value;          // what follows from the parameter's value alone
    std::vector<NodeId> by_value_nodes;  // of what is known after by_value: what by_state or the state needs
    std::vector<Step> by_state;          // what needs both
    std::vector<Output> outputs;         // the state after
  };
  std::vector<Step> constants;  // what needs no parameter
  std::vector<Level> levels;
};

Plan make_plan(const Graph& graph, std::span<const std::uint32_t> order);

}  // namespace kerntune::search::detail
