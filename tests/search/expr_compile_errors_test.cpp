// SPDX-License-Identifier: Apache-2.0
#include <kerntune/expr/expression.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kerntune::expr {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Symbols names() {
  Symbols symbols;
  symbols.add("block_x");
  symbols.add("block_y");
  return symbols;
}

/// The message of the error; empty if it compiles.
std::string error_of(std::string_view text) {
  try {
    static_cast<void>(Expression::compile(text, names()));
    return "";
  } catch (const ExprError& error) {
    return error.what();
  }
}

std::size_t offset_of(std::string_view text) {
  try {
    static_cast<void>(Expression::compile(text, names()));
    return std::string::npos;
  } catch (const ExprError& error) {
    return error.offset();
  }
}

TEST(ExpressionErrors, NameTheUnknownNameAndTheKnownOnes) {
  EXPECT_EQ(error_of("blok_x * block_y <= 1024"),
            "unknown name 'blok_x'; known names are block_x, block_y\n"
            "  blok_x * block_y <= 1024\n"
            "  ^~~~~~");
  EXPECT_EQ(offset_of("block_x * blok_y"), 10U);
}

TEST(ExpressionErrors, SayThatNoNamesAreKnown) {
  EXPECT_THROW(
      {
        try {
          static_cast<void>(Expression::compile("x", Symbols()));
        } catch (const ExprError& error) {
          EXPECT_THAT(error.what(), StartsWith("unknown name 'x'; no names are known here\n"));
          throw;
        }
      },
      ExprError);
}

TEST(ExpressionErrors, CutLongListsOfNames) {
  Symbols symbols;
  for (int i = 0; i < 40; ++i) {
    symbols.add("p" + std::to_string(i));
  }
  try {
    static_cast<void>(Expression::compile("q", symbols));
    FAIL();
  } catch (const ExprError& error) {
    EXPECT_THAT(error.what(), HasSubstr("p14, p15, ...\n"));
  }
}

TEST(ExpressionErrors, ExplainTruthValuesOfOtherLanguages) {
  EXPECT_THAT(error_of("true"), StartsWith("unknown name 'true'; write True\n"));
  EXPECT_THAT(error_of("block_x or false"), StartsWith("unknown name 'false'; write False\n"));
}

TEST(ExpressionErrors, ExplainFunctionsUsedAsNames) {
  EXPECT_THAT(error_of("min + 1"), StartsWith("unknown name 'min'; it is a function: write min(...)\n"));
}

TEST(ExpressionErrors, ListTheFunctions) {
  EXPECT_EQ(error_of("1 + round(block_x)"),
            "unknown function 'round'; known functions are min, max, gcd, abs, ceil_div, round_up, round_down, floor, "
            "ceil, log2, pow2, is_pow2, int, float, bool\n"
            "  1 + round(block_x)\n"
            "      ^~~~~");
}

TEST(ExpressionErrors, CheckTheNumberOfArguments) {
  EXPECT_EQ(error_of("1 + ceil_div(block_x)"),
            "'ceil_div' needs 2 arguments, found 1\n"
            "  1 + ceil_div(block_x)\n"
            "      ^~~~~~~~~~~~~~~~~");
  EXPECT_THAT(error_of("abs(1, 2)"), StartsWith("'abs' needs 1 argument, found 2\n"));
  EXPECT_THAT(error_of("min(1)"), StartsWith("'min' needs 2 or more arguments, found 1\n"));
  EXPECT_THAT(error_of("max()"), StartsWith("'max' needs 2 or more arguments, found 0\n"));
}

TEST(ExpressionErrors, SayWhatToWriteInsteadOfCOperators) {
  EXPECT_EQ(error_of("block_x > 1 && block_y > 1"),
            "'&&' is not an operator here; write 'and'\n"
            "  block_x > 1 && block_y > 1\n"
            "              ^~");
  EXPECT_THAT(error_of("block_x || block_y"), StartsWith("'||' is not an operator here; write 'or'\n"));
  EXPECT_THAT(error_of("!block_x"), StartsWith("'!' is not an operator here; write 'not'\n"));
  EXPECT_THAT(error_of("block_x ? 1 : 2"), StartsWith("'?' is not an operator here; write 'a if condition else b'\n"));
  EXPECT_THAT(error_of("block_x = 1"), StartsWith("assignment is not supported; write == to compare\n"));
  EXPECT_THAT(error_of("block_x << 1"), HasSubstr("write a * pow2(n)"));
  EXPECT_THAT(error_of("block_x >> 1"), HasSubstr("write a // pow2(n)"));
  EXPECT_THAT(error_of("block_x & 1"), HasSubstr("write 'and'"));
  EXPECT_THAT(error_of("block_x | 1"), HasSubstr("write 'or'"));
  EXPECT_THAT(error_of("block_x ^ 2"), HasSubstr("write **"));
  EXPECT_THAT(error_of("~block_x"), HasSubstr("write 'not'"));
}

TEST(ExpressionErrors, SayWhatToWriteInsteadOfOtherPython) {
  EXPECT_THAT(error_of("math.ceil(block_x)"), HasSubstr("write 'ceil(x)'"));
  EXPECT_THAT(error_of("block_x in {1, 2}"), HasSubstr("write a tuple (1, 2)"));
  EXPECT_THAT(error_of("{1}"), HasSubstr("write a tuple (1, 2) or a list [1, 2]"));
  EXPECT_THAT(error_of("block_x is 1"), HasSubstr("'is' is not supported; write == or !="));
  EXPECT_THAT(error_of("block_x # comment"), StartsWith("comments are not supported\n"));
  EXPECT_THAT(error_of("None"), StartsWith("expected a value, found 'None'\n"));
  EXPECT_THAT(error_of("lambda x: x"), StartsWith("expected a value, found 'lambda'\n"));
  EXPECT_THAT(error_of("block_x @ block_y"), StartsWith("unexpected character\n"));
}

TEST(ExpressionErrors, PointAtWhereSomethingIsMissing) {
  EXPECT_EQ(error_of("block_x +"),
            "expected a value, found the end\n"
            "  block_x +\n"
            "           ^");
  EXPECT_THAT(error_of(""), StartsWith("empty expression\n"));
  EXPECT_THAT(error_of(" \t\n"), StartsWith("empty expression\n"));
  EXPECT_THAT(error_of("* 2"), StartsWith("expected a value, found '*'\n"));
  EXPECT_THAT(error_of("(block_x"), StartsWith("expected ')' for the end of the parentheses, found the end\n"));
  EXPECT_THAT(error_of("min(1, 2"), StartsWith("expected ')' for the end of the arguments, found the end\n"));
  EXPECT_THAT(error_of("min(1,,2)"), StartsWith("expected a value, found ','\n"));
  EXPECT_THAT(error_of("1 if block_x"), StartsWith("expected 'else' for the other value of the conditional"));
  EXPECT_THAT(error_of("not"), StartsWith("expected a value, found the end\n"));
}

TEST(ExpressionErrors, PointAtWhatIsTooMuch) {
  EXPECT_EQ(error_of("block_x block_y"),
            "expected an operator, found 'block_y'\n"
            "  block_x block_y\n"
            "          ^~~~~~~");
  EXPECT_THAT(error_of("block_x)"), StartsWith("expected an operator, found ')'\n"));
  EXPECT_THAT(error_of("block_x not block_y"), StartsWith("expected an operator, found 'not'\n"));
}

TEST(ExpressionErrors, KeepTuplesAndListsBehindIn) {
  EXPECT_THAT(error_of("block_x, block_y"), StartsWith("a tuple can only stand after 'in'\n"));
  EXPECT_THAT(error_of("(1, 2)"), StartsWith("a tuple can only stand after 'in'\n"));
  EXPECT_THAT(error_of("[1]"), StartsWith("a list can only stand after 'in'\n"));
  EXPECT_THAT(error_of("block_x in block_y"), StartsWith("'in' needs a tuple (1, 2) or a list [1, 2] on its right\n"));
  EXPECT_EQ(error_of("block_x in (16)"),
            "'in' needs a tuple: write (1,) with a comma, or a list [1]\n"
            "  block_x in (16)\n"
            "             ^~~~");
  EXPECT_THAT(error_of("block_x in (1, 2"), StartsWith("expected ')' for the end of the list after 'in'"));
  EXPECT_THAT(error_of("block_x in [1, 2)"), StartsWith("expected ']' for the end of the list after 'in'"));
  EXPECT_THAT(error_of("block_x in (1, 2) == True"), StartsWith("a tuple or list cannot be compared; "));
  EXPECT_THAT(error_of("1 in (1, 2) in (3, 4)"), StartsWith("a tuple or list cannot be compared; "));
}

TEST(ExpressionErrors, RefuseMalformedNumbers) {
  EXPECT_THAT(error_of("012"), StartsWith("malformed number: leading zeros are not allowed\n"));
  for (const char* text :
       {"1__0", "1_", "0x", "0xg", "0b12", "0o8", "1e", "1e+", "1.2.3", "5x", "1_.5", "1._5", "1_e5"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(error_of(text), StartsWith("malformed number\n"));
  }
}

TEST(ExpressionErrors, RefuseNumbersOutOfRange) {
  EXPECT_EQ(error_of("block_x < 9223372036854775808"),
            "integer does not fit in 64 bits\n"
            "  block_x < 9223372036854775808\n"
            "            ^~~~~~~~~~~~~~~~~~~");
  EXPECT_THAT(error_of("99999999999999999999999"), StartsWith("integer does not fit in 64 bits\n"));
  EXPECT_THAT(error_of("-9223372036854775809"), StartsWith("integer does not fit in 64 bits\n"));
  EXPECT_THAT(error_of("0xFFFFFFFFFFFFFFFF"), StartsWith("integer does not fit in 64 bits\n"));
  EXPECT_THAT(error_of("1e999"), StartsWith("number is outside the range of reals\n"));
}

TEST(ExpressionErrors, RefuseBrokenStrings) {
  EXPECT_EQ(error_of("block_x == 'abc"),
            "string has no closing quote\n"
            "  block_x == 'abc\n"
            "             ^~~~");
  EXPECT_THAT(error_of("'a\nb'"), StartsWith("string has no closing quote\n"));
  EXPECT_THAT(error_of("'\\"), StartsWith("unknown escape in a string"));
  EXPECT_THAT(error_of("'\\x41'"), StartsWith("unknown escape in a string; known are \\\\ \\' \\\" \\n \\t\n"));
}

TEST(ExpressionErrors, ReportConstantErrorsWhileCompiling) {
  EXPECT_EQ(error_of("block_x + 1 // 0"),
            "division by zero in '1 // 0'\n"
            "  block_x + 1 // 0\n"
            "              ^");
  EXPECT_THAT(error_of("block_x or 1 / 0"), StartsWith("division by zero in '1 / 0'\n"));
  EXPECT_THAT(error_of("2 ** 64"), StartsWith("result out of range in '2 ** 64'\n"));
  EXPECT_THAT(error_of("'a' < 1"), StartsWith("operands of the wrong type in ''a' < 1'\n"));
  EXPECT_THAT(error_of("log2(0)"), StartsWith("operand outside the domain of the operation in 'log2(0)'\n"));
}

TEST(ExpressionErrors, ShowOnlyTheLineInQuestion) {
  EXPECT_EQ(error_of("block_x <\n  blok_y and\nblock_x"),
            "unknown name 'blok_y'; known names are block_x, block_y\n"
            "    blok_y and\n"
            "    ^~~~~~");
}

TEST(ExpressionErrors, CutLongLinesAroundThePlace) {
  const std::string sum = "block_x + block_x + block_x + block_x + block_x + block_x + block_x + block_x + ";
  const std::string message = error_of(sum + "? + " + sum);
  EXPECT_EQ(
      message,
      "'?' is not an operator here; write 'a if condition else b'\n"
      "  ...block_x + block_x + block_x + block_x + block_x + block_x + ? + block_x + block_x + block_x + block_x + "
      "block_x + block_...\n"
      "                                                                 ^");
}

TEST(ExpressionErrors, ReplaceUnprintableBytes) {
  EXPECT_EQ(error_of("\x01 \xff"),
            "unexpected character\n"
            "  ? ?\n"
            "  ^");
}

TEST(ExpressionLimits, RefuseMoreThan64KiB) {
  EXPECT_EQ(error_of(std::string(64 * 1024, ' ') + "1"), "expression of 65537 bytes is longer than 64 KiB");
  EXPECT_EQ(error_of("1" + std::string(64 * 1024 - 1, ' ')), "");
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

TEST(ExpressionLimits, RefuseNestingDeeperThan200) {
  EXPECT_EQ(error_of(repeated("(", 199) + "1" + repeated(")", 199)), "");
  for (const char* deeper : {"(", "-", "not ", "min(1,", "2**", "block_x in [", "1 if 1 else "}) {
    SCOPED_TRACE(deeper);
    EXPECT_THAT(error_of(repeated(deeper, 201)), StartsWith("nested deeper than 200 levels; split the expression\n"));
    EXPECT_THAT(error_of(repeated(deeper, 5000)), StartsWith("nested deeper than 200 levels; split the expression\n"));
  }
}

TEST(ExpressionLimits, HoldAPendingOperandOfEveryPrecedencePerLevel) {
  const std::string open = "block_x in (1 < block_x + block_x * (";
  EXPECT_EQ(error_of(repeated(open, 99) + "1" + repeated("),)", 99)), "");
}

TEST(ExpressionLimits, DoNotCountLengthAsNesting) {
  const std::string sum = "block_x" + repeated("+block_y", 8000);
  const Expression expression = Expression::compile(sum, names());
  const std::vector<Value> values = {Value(std::int64_t{1}), Value(std::int64_t{2})};
  EXPECT_EQ(expression.evaluate(values).value.integer(), 16001);
  EXPECT_EQ(error_of("1" + repeated(" or block_x", 5000)), "");
  EXPECT_EQ(error_of("1" + repeated("<block_x", 5000)), "");
}

TEST(Symbols, CountSlotsFromZero) {
  Symbols symbols;
  EXPECT_EQ(symbols.add("a"), 0U);
  EXPECT_EQ(symbols.add("_b1"), 1U);
  EXPECT_EQ(symbols.find("_b1"), std::optional<std::size_t>(1));
  EXPECT_EQ(symbols.find("c"), std::nullopt);
  EXPECT_EQ(symbols.name(0), "a");
  EXPECT_EQ(symbols.size(), 2U);
}

TEST(Symbols, RefuseNamesThatAreNoIdentifiers) {
  Symbols symbols;
  for (const char* name : {"", "1a", "a-b", "a b", "\xc3\xa9"}) {
    SCOPED_TRACE(name);
    EXPECT_THROW(symbols.add(name), ExprError);
  }
}

TEST(Symbols, RefuseReservedAndRepeatedNames) {
  Symbols symbols;
  symbols.add("a");
  EXPECT_THROW(symbols.add("a"), ExprError);
  EXPECT_THROW(symbols.add("and"), ExprError);
  EXPECT_THROW(symbols.add("True"), ExprError);
  EXPECT_EQ(symbols.size(), 1U);
}

TEST(Symbols, MayShareTheNameOfAFunction) {
  Symbols symbols;
  symbols.add("min");
  const std::vector<Value> values = {Value(std::int64_t{7})};
  EXPECT_EQ(Expression::compile("min(min, 9)", symbols).evaluate(values).value.integer(), 7);
}

}  // namespace
}  // namespace kerntune::expr
