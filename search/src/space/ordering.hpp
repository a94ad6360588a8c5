// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kerntune/search/param_space.hpp>

#include "graph.hpp"

namespace kerntune::search::detail {

/// The order in which parameters are bound: parameters without company first, then one connected group of constraints
/// after the other. Within a group the order is cheap by the estimate of CostModel; it is found with FORCE (Aloul,
/// Markov and Sakallah, "FORCE: a fast and easy-to-implement variable-ordering heuristic", GLSVLSI 2003), which moves
/// every parameter to the centre of its constraints, and by moving single parameters afterwards. Depends on nothing but
/// its arguments.
std::vector<std::uint32_t> order_params(const Graph& graph, std::span<const Param> params);

}  // namespace kerntune::search::detail
