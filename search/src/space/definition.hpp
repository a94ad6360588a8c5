// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <kerntune/expr/expression.hpp>
#include <kerntune/search/param_space.hpp>

namespace kerntune::search::detail {

/// The parameters as symbols: slot = position.
/// Errors: SpaceError for a bad or repeated name, no values, a value that is repeated or not finite.
expr::Symbols check_params(std::span<const Param> params);

/// Errors: SpaceError for one that does not compile.
std::vector<expr::Expression> compile_constraints(std::span<const std::string> constraints,
                                                  const expr::Symbols& symbols);

}  // namespace kerntune::search::detail
