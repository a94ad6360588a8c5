// SPDX-License-Identifier: Apache-2.0
#include "definition.hpp"

#include <algorithm>
#include <cmath>

#include "expr/compare.hpp"
#include "expr/message.hpp"

namespace kerntune::search::detail {
namespace {

using expr::Literal;
using expr::Value;

bool is_finite(const Literal& literal) {
  const double* const real = std::get_if<double>(&literal);
  return real == nullptr || std::isfinite(*real);
}

// Numbers before strings; repeated values become neighbours.
bool before(const Value& a, const Value& b) {
  if (a.is_number() != b.is_number()) {
    return a.is_number();
  }
  return a.is_number() ? expr::detail::compare_numbers(a, b) < 0 : a.string() < b.string();
}

void check_values(const Param& param) {
  const std::string subject = "parameter " + expr::detail::quoted(param.name);
  if (param.values.empty()) {
    throw SpaceError(subject + " has no values; give it at least one");
  }
  if (!std::ranges::all_of(param.values, is_finite)) {
    throw SpaceError(subject + " has a value that is not finite");
  }
  std::vector<Value> sorted(param.values.begin(), param.values.end());
  std::ranges::sort(sorted, before);
  const auto repeated = std::ranges::adjacent_find(sorted, expr::equal);
  if (repeated != sorted.end()) {
    throw SpaceError(subject + " has equal values: " + expr::to_text(repeated[0]) + " and " +
                     expr::to_text(repeated[1]));
  }
}

}  // namespace

expr::Symbols check_params(std::span<const Param> params) {
  expr::Symbols symbols;
  for (const Param& param : params) {
    try {
      symbols.add(param.name);
    } catch (const expr::ExprError& error) {
      throw SpaceError(std::string("parameter ") + error.what());
    }
    check_values(param);
  }
  return symbols;
}

std::vector<expr::Expression> compile_constraints(std::span<const std::string> constraints,
                                                  const expr::Symbols& symbols) {
  std::vector<expr::Expression> compiled;
  for (const std::string& text : constraints) {
    try {
      compiled.push_back(expr::Expression::compile(text, symbols));
    } catch (const expr::ExprError& error) {
      throw SpaceError(std::string("constraint does not compile: ") + error.what());
    }
  }
  return compiled;
}

}  // namespace kerntune::search::detail
