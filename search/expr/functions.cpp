// SPDX-License-Identifier: Apache-2.0
#include "functions.hpp"

#include <algorithm>
#include <iterator>

namespace kerntune::expr::detail {
namespace {

constexpr std::size_t kAnyNumber = SIZE_MAX;

constexpr Function kFunctions[] = {
    {"min", Op::min, 2, kAnyNumber},
    {"max", Op::max, 2, kAnyNumber},
    {"gcd", Op::gcd, 2, kAnyNumber},
    {"abs", Op::abs, 1, 1},
    {"ceil_div", Op::ceil_div, 2, 2},
    {"round_up", Op::round_up, 2, 2},
    {"round_down", Op::round_down, 2, 2},
    {"floor", Op::floor, 1, 1},
    {"ceil", Op::ceil, 1, 1},
    {"log2", Op::log2, 1, 1},
    {"pow2", Op::pow2, 1, 1},
    {"is_pow2", Op::is_pow2, 1, 1},
    {"int", Op::to_int, 1, 1},
    {"float", Op::to_float, 1, 1},
    {"bool", Op::to_bool, 1, 1},
};

}  // namespace

const Function* find_function(std::string_view name) noexcept {
  const auto* const found =
      std::ranges::find_if(kFunctions, [name](const Function& function) { return function.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

std::string function_names() {
  std::string names;
  for (const Function& function : kFunctions) {
    names += names.empty() ? "" : ", ";
    names += function.name;
  }
  return names;
}

}  // namespace kerntune::expr::detail
