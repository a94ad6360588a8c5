// SPDX-License-Identifier: Apache-2.0
#include "spec/python_values.hpp"
#include "spec/words.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include <kerntune/expr/expression.hpp>

namespace kerntune {
namespace {

using Values = std::vector<expr::Literal>;

constexpr std::size_t kMostValues = 100000;
constexpr int kDeepest = 16;

bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

[[noreturn]] void fail(std::string_view text, std::string_view problem) {
  throw std::invalid_argument(fmt::format("{} in '{}'", problem, text));
}

// Calls `at` with each position outside brackets and quotes until it returns true; that position, or npos.
std::size_t find_outside(std::string_view text, const std::function<bool(std::size_t)>& at) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'' || c == '"') {
      const std::size_t close = text.find(c, i + 1);
      if (close == std::string_view::npos) fail(text, "a quote is not closed");
      i = close;
      continue;
    }
    if (c == ')' || c == ']') --depth;
    if (depth < 0) fail(text, "a bracket is not opened");
    if (depth == 0 && at(i)) return i;
    if (c == '(' || c == '[') ++depth;
  }
  if (depth != 0) fail(text, "a bracket is not closed");
  return std::string_view::npos;
}

// Position of the whole word `word` outside brackets.
std::size_t find_word(std::string_view text, std::string_view word) {
  return find_outside(text, [&](std::size_t i) {
    const bool starts = i == 0 || !is_word(text[i - 1]);
    const std::size_t end = i + word.size();
    return starts && text.substr(i, word.size()) == word && (end == text.size() || !is_word(text[end]));
  });
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  find_outside(text, [&](std::size_t i) {
    if (text[i] != separator) return false;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
    return false;
  });
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

expr::Literal evaluate(std::string_view text, const expr::Symbols& symbols, std::span<const expr::Value> values) {
  try {
    const auto expression = expr::Expression::compile(text, symbols);
    const expr::Evaluation result = expression.evaluate(values);
    if (!result.ok()) fail(text, expression.explain(result, symbols, values));
    return expr::to_literal(result.value);
  } catch (const expr::ExprError& error) {
    fail(text, error.what());
  }
}

std::int64_t integer(std::string_view text) {
  const expr::Literal value = evaluate(text, {}, {});
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  fail(text, "expected an integer");
}

class Reader {
 public:
  Values sum(std::string_view text, int depth) {
    if (depth > kDeepest) fail(text, "nested too deeply");
    Values all;
    for (const std::string_view term : split(trimmed(text), '+')) append(all, list(term, depth));
    return all;
  }

 private:
  void append(Values& all, Values more) {
    if (all.size() + more.size() > kMostValues) throw std::invalid_argument("more than 100000 values");
    for (expr::Literal& value : more) all.push_back(std::move(value));
  }

  Values list(std::string_view text, int depth) {
    if (text.empty()) fail(text, "expected a list");
    const bool brackets = (text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')');
    if (brackets) return elements(text.substr(1, text.size() - 2), depth);
    for (const std::string_view function : {"list", "sorted", "tuple"})
      if (const auto inside = call(text, function); inside.data() != nullptr) return sum(inside, depth + 1);
    if (const auto inside = call(text, "range"); inside.data() != nullptr) return range(inside);
    fail(text, "expected a list, range(...) or list(...)");
  }

  // What is between the brackets of `function(...)`; a null view if the text is something else.
  static std::string_view call(std::string_view text, std::string_view function) {
    if (text.substr(0, function.size()) != function || text.back() != ')') return {};
    const std::string_view rest = trimmed(text.substr(function.size()));
    return rest.front() == '(' ? rest.substr(1, rest.size() - 2) : std::string_view{};
  }

  Values elements(std::string_view inside, int depth) {
    if (const std::size_t at = find_word(inside, "for"); at != std::string_view::npos)
      return comprehension(trimmed(inside.substr(0, at)), trimmed(inside.substr(at + 3)), depth);
    Values values;
    const auto parts = split(inside, ',');
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].empty() && i + 1 == parts.size()) break;  // a trailing comma, or an empty list
      append(values, {evaluate(parts[i], {}, {})});
    }
    return values;
  }

  Values comprehension(std::string_view element, std::string_view clause, int depth) {
    const std::size_t in = find_word(clause, "in");
    if (in == std::string_view::npos) fail(clause, "expected 'NAME in LIST' after 'for'");
    std::string_view source = clause.substr(in + 2);
    if (find_word(source, "for") != std::string_view::npos) fail(clause, "only one 'for' is supported");
    std::string_view condition = "True";
    if (const std::size_t at = find_word(source, "if"); at != std::string_view::npos) {
      condition = trimmed(source.substr(at + 2));
      source = source.substr(0, at);
    }
    expr::Symbols symbols;
    try {
      symbols.add(trimmed(clause.substr(0, in)));
    } catch (const expr::ExprError& error) {
      fail(clause, error.what());
    }
    Values values;
    for (const expr::Literal& item : sum(source, depth + 1)) {
      const std::array<expr::Value, 1> bound{expr::Value(item)};
      const expr::Literal keep = evaluate(condition, symbols, bound);
      if (expr::Value(keep).truthy()) append(values, {evaluate(element, symbols, bound)});
    }
    return values;
  }

  static Values range(std::string_view inside) {
    const auto parts = split(inside, ',');
    if (parts.size() > 3) fail(inside, "range takes one to three integers");
    const std::int64_t first = parts.size() > 1 ? integer(parts[0]) : 0;
    const std::int64_t end = integer(parts.size() > 1 ? parts[1] : parts[0]);
    const std::int64_t step = parts.size() > 2 ? integer(parts[2]) : 1;
    if (step == 0) fail(inside, "range's step is 0");
    Values values;
    for (std::int64_t i = first; step > 0 ? i < end : i > end;) {
      if (values.size() == kMostValues) throw std::invalid_argument("more than 100000 values");
      values.emplace_back(i);
      if (__builtin_add_overflow(i, step, &i)) break;
    }
    return values;
  }
};

}  // namespace

std::vector<expr::Literal> python_values(std::string_view text) { return Reader().sum(text, 0); }

}  // namespace kerntune
