// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "operators.hpp"

namespace kerntune::expr::detail {

struct Function {
  std::string_view name;
  Op op;
  std::size_t min_arguments;
  std::size_t max_arguments;  // where more than two are allowed the operator is applied from the left
};

/// Null if there is none of that name.
const Function* find_function(std::string_view name) noexcept;
/// "min, max, ...", for messages.
std::string function_names();

}  // namespace kerntune::expr::detail
