// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph.hpp"

namespace kerntune::search::detail {

/// The order in which parameters are bound: parameters without a constraint first, then one connected group of
/// constraints after the other. Within a group it is chosen greedily so that few combinations of values have to be
/// told apart at any time (see Diagram). Depends on nothing but its arguments.
/// `sizes`: number of values per parameter.
std::vector<std::uint32_t> order_params(const Graph& graph, std::span<const std::size_t> sizes);

}  // namespace kerntune::search::detail
