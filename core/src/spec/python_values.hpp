// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <kerntune/expr/value.hpp>

namespace kerntune {

/// The values that a T1 file lists as a Python expression:
///   [16, 32, 64]   (1, 2)   list(range(32, 1025, 32))   [2**i for i in range(0, 6) if i != 3]   [1, 2] + [4, 8]
/// Elements are kerntune::expr expressions. At most 100000 values.
/// Errors: std::invalid_argument saying what was expected.
std::vector<expr::Literal> python_values(std::string_view text);

}  // namespace kerntune
