// SPDX-License-Identifier: Apache-2.0
#include <kerntune/expr/expression.hpp>

#include <bit>
#include <span>

#include <gtest/gtest.h>

#include "expr_python_table.hpp"

namespace kerntune::expr {
namespace {

struct Variables {
  Variables() {
    add("x", std::int64_t{16});
    add("y", std::int64_t{0});
    add("z", std::int64_t{-7});
    add("r", 2.5);
    add("flag", true);
    add("off", false);
    add("name", std::string("fp16"));
    add("big", std::int64_t{1} << 62);
  }
  void add(const char* name, Literal value) {
    symbols.add(name);
    literals.push_back(std::move(value));
    values = std::vector<Value>(literals.begin(), literals.end());
  }
  Symbols symbols;
  std::vector<Literal> literals;
  std::vector<Value> values;
};

// 1, 1.0 and True are different results here, and so are 0.0 and -0.0.
bool same(const Literal& a, const Literal& b) {
  const double* const x = std::get_if<double>(&a);
  const double* const y = std::get_if<double>(&b);
  return x != nullptr && y != nullptr ? std::bit_cast<std::uint64_t>(*x) == std::bit_cast<std::uint64_t>(*y) : a == b;
}

void expect_as_in_python(std::span<const python::Row> rows) {
  const Variables variables;
  for (const auto& [text, expected] : rows) {
    SCOPED_TRACE(text);
    const Expression expression = Expression::compile(text, variables.symbols);
    const Evaluation result = expression.evaluate(variables.values);
    ASSERT_TRUE(result.ok()) << expression.explain(result, variables.symbols, variables.values);
    EXPECT_TRUE(same(to_literal(result.value), expected))
        << to_text(result.value) << " instead of " << to_text(expected);
  }
}

TEST(Expression, EvaluatesLiteralsAsPython) { expect_as_in_python(python::kLiterals); }
TEST(Expression, EvaluatesIntegerArithmeticAsPython) { expect_as_in_python(python::kArithmetic); }
TEST(Expression, EvaluatesRealArithmeticAsPython) { expect_as_in_python(python::kReals); }
TEST(Expression, EvaluatesComparisonsAsPython) { expect_as_in_python(python::kComparisons); }
TEST(Expression, EvaluatesLogicAsPython) { expect_as_in_python(python::kLogic); }
TEST(Expression, EvaluatesMembershipAsPython) { expect_as_in_python(python::kMembership); }
TEST(Expression, EvaluatesConditionalsAsPython) { expect_as_in_python(python::kConditionals); }
TEST(Expression, EvaluatesFunctionsAsPython) { expect_as_in_python(python::kFunctions); }

TEST(Expression, GivesTheSameResultsWithoutConstantFolding) {
  // Every literal of these tables' constant expressions is also reachable through a variable.
  const Variables variables;
  const auto evaluate = [&](const char* text) {
    return to_text(Expression::compile(text, variables.symbols).evaluate(variables.values).value);
  };
  EXPECT_EQ(evaluate("(x - 23) // (y + 2)"), evaluate("-7 // 2"));
  EXPECT_EQ(evaluate("(x - 23) % (y + 4)"), evaluate("-7 % 4"));
  EXPECT_EQ(evaluate("y or (x if y else 2 ** (x - 6))"), evaluate("0 or (16 if 0 else 2 ** 10)"));
  EXPECT_EQ(evaluate("1 < x in (y + 16, 3) or 5"), evaluate("1 < 16 in (16, 3) or 5"));
}

TEST(Expression, ReportsTheSlotsItReads) {
  const Variables variables;
  const auto slots = [&](const char* text) {
    const Expression expression = Expression::compile(text, variables.symbols);
    return std::vector<std::uint32_t>(expression.slots().begin(), expression.slots().end());
  };
  EXPECT_EQ(slots("z + x * z"), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(slots("1 + 2"), std::vector<std::uint32_t>{});
}

TEST(Expression, KnowsConstants) {
  const Variables variables;
  EXPECT_TRUE(Expression::compile("12 * 1024", variables.symbols).is_constant());
  EXPECT_FALSE(Expression::compile("12 * x", variables.symbols).is_constant());
  EXPECT_EQ(Expression::constant(-3).evaluate({}).value.integer(), -3);
  EXPECT_EQ(Expression::constant(-3).text(), "-3");
}

TEST(Expression, KeepsItsTextAndOutlivesItsSource) {
  Symbols symbols;
  symbols.add("x");
  std::string source = "x == 'long enough to live on the heap, not inside the string'";
  const Expression expression = Expression::compile(source, symbols);
  const Expression copy = expression;
  source.assign(source.size(), '?');
  const Literal value = std::string("long enough to live on the heap, not inside the string");
  const std::vector<Value> values = {Value(value)};
  EXPECT_TRUE(copy.evaluate(values).value.truthy());
  EXPECT_EQ(copy.text().substr(0, 6), "x == '");
}

TEST(Expression, IgnoresSpaceAndLineBreaks) {
  const Variables variables;
  const Expression expression = Expression::compile(" (x\n\t+ y)\r\n *2 ", variables.symbols);
  EXPECT_EQ(expression.evaluate(variables.values).value.integer(), 32);
}

}  // namespace
}  // namespace kerntune::expr
