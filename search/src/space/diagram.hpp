// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <kerntune/expr/expression.hpp>
#include <kerntune/search/param_space.hpp>

namespace kerntune::search::detail {

/// The valid configurations as a layered acyclic graph, a multi-valued decision diagram (Srinivasan et al., "Algorithms
/// for discrete function manipulation", ICCAD 1990). Layer l binds one parameter; a path from the node of layer 0 to
/// the one node behind the last layer is a valid configuration. Prefixes with the same continuations share a node, so
/// its size follows from what constraints have to remember and not from the number of configurations.
struct Diagram {
  struct Edge {
    std::uint32_t value;  // index into the parameter's values; ascends within a node
    std::uint32_t child;  // node of the next layer
    friend bool operator==(const Edge&, const Edge&) = default;
  };
  struct Layer {
    std::uint32_t param = 0;
    std::vector<std::uint32_t> first;  // of each node: its first edge; one more at the end
    std::vector<Edge> edges;
    std::vector<Count> counts;  // of each node: configurations below it, never 0

    std::span<const Edge> edges_of(std::uint32_t node) const {
      return std::span(edges).subspan(first[node], first[node + 1] - first[node]);
    }
    /// The edge of `value`, or null.
    const Edge* find(std::uint32_t node, std::uint32_t value) const;
  };

  std::vector<Layer> layers;
  std::vector<std::uint32_t> layer_of;  // per parameter
  Count count = 0;                      // 0: all else is meaningless

  Count count_below(std::size_t layer, std::uint32_t node) const {
    return layer == layers.size() ? 1 : layers[layer].counts[node];
  }
  /// The nodes that `config` passes from `node` of `level` on; shorter than to the end if it is invalid there.
  std::vector<std::uint32_t> walk(std::size_t level, std::uint32_t node, const Config& config) const;
  bool reaches_end(std::size_t level, std::uint32_t node, const Config& config) const;
  std::size_t memory_bytes() const;
};

/// Errors: SpaceError if the count leaves 128 bits or the diagram would not fit in memory.
/// `errors` receives the failed evaluations.
Diagram build_diagram(std::span<const Param> params, const expr::Symbols& symbols,
                      std::span<const expr::Expression> constraints, ParamSpace::EvaluationErrors& errors);

}  // namespace kerntune::search::detail
