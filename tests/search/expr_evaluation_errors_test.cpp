// SPDX-License-Identifier: Apache-2.0
#include <kerntune/expr/expression.hpp>

#include <limits>

#include <gtest/gtest.h>

namespace kerntune::expr {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// KWG = 16, X = 0, N = -3, big = 2^62, R = 0.5, huge = 1e300, S = "fp16", inf, nan.
struct Variables {
  Variables() {
    add("KWG", std::int64_t{16});
    add("X", std::int64_t{0});
    add("N", std::int64_t{-3});
    add("big", std::int64_t{1} << 62);
    add("R", 0.5);
    add("huge", 1e300);
    add("S", std::string("fp16"));
    add("inf", kInfinity);
    add("nan", std::numeric_limits<double>::quiet_NaN());
    add("lowest", INT64_MIN);
  }
  void add(const char* name, Literal value) {
    symbols.add(name);
    literals.push_back(std::move(value));
    values = std::vector<Value>(literals.begin(), literals.end());
  }
  Evaluation evaluate(const char* text) const { return Expression::compile(text, symbols).evaluate(values); }
  EvalErrorCode error(const char* text) const { return evaluate(text).error; }
  std::string explain(const char* text) const {
    const Expression expression = Expression::compile(text, symbols);
    return expression.explain(expression.evaluate(values), symbols, values);
  }

  Symbols symbols;
  std::vector<Literal> literals;
  std::vector<Value> values;
};

TEST(Evaluation, ReportsDivisionByZero) {
  const Variables at;
  for (const char* text : {"KWG / X", "KWG // X", "KWG % X", "R / X", "R // 0.0", "R % 0.0", "KWG / 0.0", "X ** -1",
                           "0.0 ** N", "ceil_div(KWG, X)", "round_up(KWG, X)", "round_down(KWG, X)"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(at.error(text), EvalErrorCode::division_by_zero);
  }
}

TEST(Evaluation, ReportsOverflowInsteadOfWrapping) {
  const Variables at;
  for (const char* text : {"big + big",
                           "big * 2",
                           "-big - big - 1",
                           "big ** 2",
                           "2 ** (KWG * 4)",
                           "-lowest",
                           "abs(lowest)",
                           "lowest // -1",
                           "lowest - 1",
                           "pow2(KWG * 4)",
                           "round_up(big + (big - 1), 10)",
                           "round_down(lowest, 10)",
                           "gcd(lowest, lowest)",
                           "huge * huge",
                           "huge * 1e8 + huge * 1e8",
                           "-huge * 1e10",
                           "huge ** 2",
                           "huge / 1e-300",
                           "int(huge)",
                           "floor(huge)",
                           "ceil(-huge)",
                           "int(inf)",
                           "ceil_div(huge, 2)"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(at.error(text), EvalErrorCode::overflow);
  }
}

TEST(Evaluation, ReportsTypeMismatch) {
  const Variables at;
  for (const char* text :
       {"S + 1", "S + S", "S * 2", "S < 1", "1 <= S", "-S", "+S", "abs(S)", "min(S, 1)", "max(1, S)", "int(S)",
        "float(S)", "log2(S)", "gcd(S, 2)", "ceil_div(2, S)", "pow2(S)", "is_pow2(S)", "floor(S)", "1 < KWG < S"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(at.error(text), EvalErrorCode::type_mismatch);
  }
}

TEST(Evaluation, ReportsOperandsOutsideTheDomain) {
  const Variables at;
  for (const char* text : {"N ** R", "(-R) ** R", "log2(X)", "log2(N)", "log2(-R)", "ceil_div(KWG, N)",
                           "round_up(KWG, N)", "round_down(KWG, N)", "pow2(N)", "pow2(R)", "is_pow2(R)", "gcd(R, 2)",
                           "ceil_div(R, 2)", "int(nan)", "floor(nan)", "inf - inf", "inf * 0", "inf % 2"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(at.error(text), EvalErrorCode::domain);
  }
}

TEST(Evaluation, LetsInfinityAndNanPassThrough) {
  const Variables at;
  EXPECT_EQ(at.evaluate("inf + 1").value.real(), kInfinity);
  EXPECT_EQ(at.evaluate("1 / inf").value.real(), 0.0);
  EXPECT_FALSE(at.evaluate("nan == nan").value.truthy());
  EXPECT_TRUE(at.evaluate("nan != nan").value.truthy());
  EXPECT_FALSE(at.evaluate("nan < 1 or nan >= 1").value.truthy());
}

TEST(Evaluation, SkipsWhatPythonSkips) {
  const Variables at;
  for (const char* text : {"X == 0 or KWG % X == 0", "X != 0 and KWG % X", "1 if X == 0 else KWG // X",
                           "KWG // X if X else 0", "1 > KWG > 1 // X", "not (X and 1 // X)"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(at.evaluate(text).ok());
  }
}

TEST(Evaluation, DoesNotSkipWhatPythonEvaluates) {
  const Variables at;
  for (const char* text : {"KWG % X == 0 or X == 0", "KWG in (KWG, 1 // X)", "1 < KWG < 1 // X", "min(1, 1 // X)"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(at.error(text), EvalErrorCode::division_by_zero);
  }
}

TEST(Evaluation, GivesThePlaceOfTheOperator) {
  const Variables at;
  EXPECT_EQ(at.evaluate("1 + KWG % X == 0").offset, 8U);
  EXPECT_EQ(at.evaluate("1 + ceil_div(KWG, X)").offset, 4U);
  EXPECT_EQ(at.evaluate("1 + -lowest").offset, 4U);
}

TEST(Explain, ShowsThePartItsValuesAndThePlace) {
  EXPECT_EQ(Variables().explain("N < 5 and KWG % X == 0"),
            "division by zero in 'KWG % X' at KWG=16, X=0\n"
            "  N < 5 and KWG % X == 0\n"
            "                ^");
}

TEST(Explain, ShowsCallsAndChains) {
  const Variables at;
  EXPECT_EQ(at.explain("1 + min(KWG, ceil_div(big, N)) > 3"),
            "operand outside the domain of the operation in 'ceil_div(big, N)' at N=-3, big=4611686018427387904\n"
            "  1 + min(KWG, ceil_div(big, N)) > 3\n"
            "               ^");
  EXPECT_EQ(at.explain("0 < KWG < S"),
            "operands of the wrong type in 'KWG < S' at KWG=16, S=fp16\n"
            "  0 < KWG < S\n"
            "          ^");
}

TEST(Explain, NamesTheWholeOperandsOfTheOperator) {
  EXPECT_EQ(Variables().explain("(big + 1) * (KWG + 2) - 3 > 0"),
            "result out of range in '(big + 1) * (KWG + 2)' at KWG=16, big=4611686018427387904\n"
            "  (big + 1) * (KWG + 2) - 3 > 0\n"
            "            ^");
}

TEST(Explain, ShowsTheOperatorWithoutValuesWhenThereAreNone) {
  const Variables at;
  const Expression expression = Expression::compile("KWG % X", at.symbols);
  EXPECT_EQ(expression.explain(expression.evaluate(at.values), at.symbols, {}),
            "division by zero in 'KWG % X'\n"
            "  KWG % X\n"
            "      ^");
}

}  // namespace
}  // namespace kerntune::expr
