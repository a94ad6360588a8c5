// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <kerntune/search/param_space.hpp>

#include "graph.hpp"

namespace kerntune::search::detail {

/// Estimates what building a space costs when its parameters are bound in a given order.
///
/// The work of a level is its states times the parameter's values. A state is made of the live nodes (see Plan), so
/// there are at most as many states as combinations of their values, at most as many as combinations of the parameters
/// below them, and fewer by the share of combinations that the constraints checked so far let pass, which is sampled.
/// Against the true numbers this is right within a factor of four on the recorded spaces and on chains of them.
///
/// All arithmetic is on integers and dyadic doubles, so that the same definition gives the same order everywhere.
class CostModel {
 public:
  CostModel(const Graph& graph, std::span<const Param> params);

  /// Estimated number of edges. Stops as soon as it exceeds `limit`.
  double cost(std::span<const std::uint32_t> order, double limit = std::numeric_limits<double>::infinity());
  /// Nodes looked at by cost() so far, the unit of its own work.
  std::size_t visits() const noexcept { return visits_; }

  /// Sorted parameters that the node depends on.
  const std::vector<std::uint32_t>& params_of(NodeId node) const { return params_[node]; }

 private:
  /// Binary digits in units of 1/16.
  using Bits = std::int64_t;

  /// What is known and live after binding some parameters.
  struct State {
    std::vector<std::uint32_t> unknown_params;  // per node
    std::vector<std::uint32_t> unknown_users;   // per node: uses by nodes that are not known
    std::vector<std::uint32_t> live_nodes;      // per parameter: live nodes that depend on it
    std::vector<std::uint32_t> live_params;     // per root: its parameters with live nodes
    std::vector<bool> checked;                  // per root
    Bits node_bits = 0;                         // of the live nodes
    Bits param_bits = 0;                        // of the parameters below them
    Bits passing_bits = 0;                      // of the roots all of whose parameters are among those; negative
  };

  void add_node(NodeId id);
  void add_roots();
  void sample_roots(std::span<const Param> params);
  Bits bits_of(const Node& node) const;
  void bind(std::uint32_t param);
  void set_live(NodeId id, bool live);
  void count_live_param(std::uint32_t param, bool live);
  bool filters(std::size_t root) const;
  double states() const;

  const Graph& graph_;
  std::vector<double> values_;  // per parameter: their number
  std::vector<Bits> param_bits_;
  std::vector<Bits> node_bits_;
  std::vector<Bits> passing_bits_;                    // per root
  std::vector<std::vector<std::uint32_t>> params_;    // per node
  std::vector<std::vector<NodeId>> nodes_of_;         // per parameter: what depends on it, operands first
  std::vector<std::vector<std::uint32_t>> roots_of_;  // per parameter
  std::vector<std::vector<std::uint32_t>> roots_at_;  // per node: the roots that it is
  State start_;
  State at_;
  std::size_t visits_ = 0;
};

}  // namespace kerntune::search::detail
