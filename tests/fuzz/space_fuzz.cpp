// SPDX-License-Identifier: Apache-2.0
// A space with any text as its constraint holds exactly the combinations for which the expression is true.
// Run: space_fuzz tests/fuzz/corpus/expr
#include <cstdlib>

#include <kerntune/expr/expression.hpp>
#include <kerntune/search/param_space.hpp>

namespace {

using namespace kerntune;

const std::vector<search::Param>& params() {
  static const std::vector<search::Param> kParams = {
      {"x", {std::int64_t{0}, std::int64_t{1}, std::int64_t{16}, std::int64_t{-7}, INT64_MAX}},
      {"y", {std::int64_t{2}, 0.5, false, std::int64_t{16}}},
      {"z", {true, std::int64_t{3}, -1.5}},
      {"s", {std::string("a"), std::string("fp16"), std::int64_t{0}}}};
  return kParams;
}

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  static const search::ParamSpace product = search::ParamSpace::build(params(), {});
  expr::Symbols symbols;
  for (const search::Param& param : params()) {
    symbols.add(param.name);
  }
  try {
    const expr::Expression expression = expr::Expression::compile(text, symbols);
    const search::ParamSpace space = search::ParamSpace::build(params(), {text});
    search::Count valid = 0;
    for (search::Count index = 0; index < product.count(); ++index) {
      const search::Config config = product.at(index);
      const expr::Evaluation result = expression.evaluate(product.values(config));
      const bool holds = result.ok() && result.value.truthy();
      require(space.contains(config) == holds);
      valid += holds ? 1 : 0;
    }
    require(space.count() == valid);
  } catch (const expr::ExprError&) {
    return -1;
  }
  return 0;
}
