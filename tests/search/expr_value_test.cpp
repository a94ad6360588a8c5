// SPDX-License-Identifier: Apache-2.0
#include <kerntune/expr/value.hpp>

#include <limits>

#include <gtest/gtest.h>

namespace kerntune::expr {
namespace {

Value integer(std::int64_t v) { return Value(v); }

TEST(Value, BorrowsLiterals) {
  const Literal text = std::string("fp16");
  EXPECT_EQ(Value(text).kind(), Value::Kind::string);
  EXPECT_EQ(Value(text).string().data(), std::get<std::string>(text).data());
  EXPECT_EQ(Value(Literal(true)).kind(), Value::Kind::boolean);
  EXPECT_EQ(Value(Literal(2.5)).real(), 2.5);
  EXPECT_EQ(Value(Literal(std::int64_t{-3})).integer(), -3);
}

TEST(Value, TakesStringLiteralsAsStrings) { EXPECT_EQ(Value("true").kind(), Value::Kind::string); }

TEST(Value, IsTruthyAsInPython) {
  EXPECT_TRUE(integer(-1).truthy());
  EXPECT_FALSE(integer(0).truthy());
  EXPECT_FALSE(Value(-0.0).truthy());
  EXPECT_TRUE(Value(std::numeric_limits<double>::quiet_NaN()).truthy());
  EXPECT_FALSE(Value("").truthy());
  EXPECT_TRUE(Value("0").truthy());
  EXPECT_FALSE(Value(false).truthy());
}

TEST(Value, ComparesNumbersAcrossKinds) {
  EXPECT_TRUE(equal(Value(true), integer(1)));
  EXPECT_TRUE(equal(integer(1), Value(1.0)));
  EXPECT_TRUE(equal(Value(true), Value(1.0)));
  EXPECT_FALSE(equal(integer(1), Value("1")));
  EXPECT_TRUE(equal(Value("ab"), Value("ab")));
  EXPECT_FALSE(equal(Value("ab"), Value("abc")));
}

TEST(Value, ComparesLargeIntegersWithRealsExactly) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  EXPECT_FALSE(equal(integer(odd), Value(static_cast<double>(odd))));
  EXPECT_TRUE(equal(integer(INT64_MIN), Value(-0x1p63)));
  EXPECT_FALSE(equal(integer(INT64_MAX), Value(0x1p63)));
  EXPECT_FALSE(equal(integer(0), Value(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_FALSE(equal(integer(INT64_MAX), Value(std::numeric_limits<double>::infinity())));
}

TEST(ToText, PrintsNumbersAndTruth) {
  EXPECT_EQ(to_text(integer(128)), "128");
  EXPECT_EQ(to_text(integer(INT64_MIN)), "-9223372036854775808");
  EXPECT_EQ(to_text(Value(true)), "true");
  EXPECT_EQ(to_text(Value(false)), "false");
}

TEST(ToText, PrintsTheShortestRealThatReadsBack) {
  EXPECT_EQ(to_text(Value(0.5)), "0.5");
  EXPECT_EQ(to_text(Value(1.0)), "1.0");
  EXPECT_EQ(to_text(Value(-0.0)), "-0.0");
  EXPECT_EQ(to_text(Value(0.1)), "0.1");
  EXPECT_EQ(to_text(Value(0.1 + 0.2)), "0.30000000000000004");
  EXPECT_EQ(to_text(Value(1e22)), "1e+22");
  EXPECT_EQ(to_text(Value(5e-324)), "5e-324");
  EXPECT_EQ(to_text(Value(std::numeric_limits<double>::infinity())), "inf");
  EXPECT_EQ(to_text(Value(-std::numeric_limits<double>::infinity())), "-inf");
  EXPECT_EQ(to_text(Value(std::numeric_limits<double>::quiet_NaN())), "nan");
}

TEST(ToText, LeavesPlainWordsBareAndQuotesTheRest) {
  EXPECT_EQ(to_text(Value("fp16")), "fp16");
  EXPECT_EQ(to_text(Value("a.b+c-d_1")), "a.b+c-d_1");
  EXPECT_EQ(to_text(Value("true")), "\"true\"");
  EXPECT_EQ(to_text(Value("")), "\"\"");
  EXPECT_EQ(to_text(Value("16")), "\"16\"");
  EXPECT_EQ(to_text(Value("a b")), "\"a b\"");
  EXPECT_EQ(to_text(Value("a,b=\"c\\")), "\"a,b=\\\"c\\\\\"");
}

TEST(ToLiteral, OwnsACopy) {
  Literal copy;
  {
    const Literal original = std::string("a string that is longer than the small buffer");
    copy = to_literal(Value(original));
  }
  EXPECT_EQ(copy, Literal(std::string("a string that is longer than the small buffer")));
  EXPECT_EQ(to_literal(Value(true)), Literal(true));
  EXPECT_EQ(to_literal(Value(2.0)), Literal(2.0));
  EXPECT_EQ(to_literal(integer(2)), Literal(std::int64_t{2}));
}

}  // namespace
}  // namespace kerntune::expr
