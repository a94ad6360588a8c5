// SPDX-License-Identifier: Apache-2.0
// The examples of docs/expressions.md.
#include <kerntune/expr/expression.hpp>

#include <fstream>

#include <gtest/gtest.h>

namespace kerntune::expr {
namespace {

struct Example {
  std::string expression;
  std::string result;
};

std::vector<Example> examples() {
  std::ifstream file(KERNTUNE_DOCS "/expressions.md");
  std::vector<Example> out;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    const std::size_t arrow = line.find("->  ");
    if (line.starts_with("```")) {
      inside = line == "```expr";
    } else if (inside && arrow != std::string::npos) {
      out.push_back({line.substr(0, arrow), line.substr(arrow + 4)});
    }
  }
  return out;
}

std::string result_of(const std::string& text) {
  Symbols symbols;
  for (const char* name : {"block_x", "block_y", "n", "scale", "precision", "padding"}) {
    symbols.add(name);
  }
  const std::vector<Value> values = {Value(std::int64_t{32}),
                                     Value(std::int64_t{8}),
                                     Value(std::int64_t{1000}),
                                     Value(0.5),
                                     Value("fp16"),
                                     Value(false)};
  const Expression expression = Expression::compile(text, symbols);
  const Evaluation result = expression.evaluate(values);
  return result.ok() ? to_text(result.value) : "error: " + expression.explain(result, symbols, values);
}

TEST(ExpressionDocumentation, ShowsWhatExpressionsEvaluateTo) {
  const std::vector<Example> all = examples();
  ASSERT_GT(all.size(), 30U);
  for (const auto& [expression, result] : all) {
    const std::string actual = result_of(expression);  // an error goes on with the place
    EXPECT_EQ(result.starts_with("error") ? actual.substr(0, result.size()) : actual, result) << expression;
  }
}

}  // namespace
}  // namespace kerntune::expr
