// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>

#include <kerntune/expr/value.hpp>

namespace kerntune::expr::detail {

/// Order of two numbers as in Python: exact across kinds, so 2**53 + 1 differs from 2.0**53.
/// Requires: both are numbers.
std::partial_ordering compare_numbers(const Value& a, const Value& b) noexcept;

}  // namespace kerntune::expr::detail
