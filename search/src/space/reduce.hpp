// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagram.hpp"

namespace kerntune::search::detail {

/// Counts what lies below every node, drops dead ends and makes nodes with equal edges one.
/// Requires: the layers' nodes are all reachable, `counts` is empty. Errors: SpaceError if a count leaves 128 bits.
void reduce(Diagram& diagram);

}  // namespace kerntune::search::detail
