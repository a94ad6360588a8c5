// SPDX-License-Identifier: Apache-2.0
// Any text compiles or throws ExprError; any evaluation gives a value or an error; the text of an expression means the
// expression. Run: expr_fuzz tests/fuzz/corpus/expr
#include <fuzzer/FuzzedDataProvider.h>

#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

#include <kerntune/expr/expression.hpp>

namespace {

using namespace kerntune::expr;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

Literal any_literal(FuzzedDataProvider& data) {
  static const Literal kSpecial[] = {std::int64_t{0},
                                     std::int64_t{-1},
                                     INT64_MIN,
                                     INT64_MAX,
                                     0.0,
                                     -0.0,
                                     0x1p63,
                                     std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN(),
                                     std::numeric_limits<double>::max(),
                                     false,
                                     true,
                                     std::string()};
  switch (data.ConsumeIntegralInRange(0, 5)) {
    case 0:
      return data.ConsumeIntegral<std::int64_t>();
    case 1:
      return std::int64_t{data.ConsumeIntegral<std::int8_t>()};
    case 2:
      return data.ConsumeFloatingPoint<double>();
    case 3:
      return data.ConsumeRandomLengthString(8);
    default:
      return kSpecial[data.ConsumeIntegralInRange<std::size_t>(0, std::size(kSpecial) - 1)];
  }
}

bool is_nan(const Value& value) { return value.kind() == Value::Kind::real && std::isnan(value.real()); }

bool same(const Evaluation& a, const Evaluation& b) {
  if (a.error != b.error || a.offset != b.offset || !a.ok()) {
    return a.error == b.error && a.offset == b.offset;
  }
  return a.value.kind() == b.value.kind() && ((is_nan(a.value) && is_nan(b.value)) || equal(a.value, b.value));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider data(bytes, size);
  Symbols symbols;
  std::vector<Literal> literals;
  for (const char* name : {"x", "y", "z", "s"}) {
    symbols.add(name);
    literals.push_back(any_literal(data));
  }
  const std::vector<Value> values(literals.begin(), literals.end());
  const std::string text = data.ConsumeRemainingBytesAsString();
  try {
    const Expression expression = Expression::compile(text, symbols);
    const Evaluation result = expression.evaluate(values);
    if (!result.ok()) {
      require(result.offset < text.size() && !expression.explain(result, symbols, values).empty());
    } else {
      static_cast<void>(to_text(result.value));
    }
    require(same(result, Expression::compile(expression.text(), symbols).evaluate(values)));
  } catch (const ExprError& error) {
    require(error.offset() <= text.size());
  }
  return 0;
}
