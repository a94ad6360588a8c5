// SPDX-License-Identifier: Apache-2.0
#include <kerntune/expr/expression.hpp>

#include <algorithm>

#include "lexer.hpp"
#include "parser.hpp"
#include "program.hpp"

namespace kerntune::expr {
namespace {

constexpr std::size_t kMaxText = 65536;

std::vector<std::uint32_t> slots_read(const std::vector<detail::Instruction>& code) {
  std::vector<std::uint32_t> slots;
  for (const detail::Instruction& instruction : code) {
    if (instruction.op == detail::Op::load) {
      slots.push_back(instruction.argument);
    }
  }
  std::ranges::sort(slots);
  const auto repeated = std::ranges::unique(slots);
  slots.erase(repeated.begin(), repeated.end());
  return slots;
}

}  // namespace

std::size_t Symbols::add(std::string_view name) {
  const std::string shown = detail::quoted(name);
  if (!detail::is_identifier(name)) {
    throw ExprError("name " + shown + " is not an identifier: a letter or _, then letters, digits or _", 0);
  }
  if (detail::is_keyword(name)) {
    throw ExprError("name " + shown + " is a reserved word", 0);
  }
  if (find(name)) {
    throw ExprError("name " + shown + " is already in use", 0);
  }
  names_.emplace_back(name);
  return names_.size() - 1;
}

std::optional<std::size_t> Symbols::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(names_, name);
  return found == names_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names_.begin()));
}

Expression::Expression() : Expression(constant(0)) {}

Expression Expression::compile(std::string_view text, const Symbols& symbols) {
  if (text.size() > kMaxText) {
    throw ExprError("expression of " + std::to_string(text.size()) + " bytes is longer than 64 KiB", kMaxText);
  }
  auto program = std::make_shared<detail::Program>();
  program->text = text;
  detail::Parser(*program, symbols).parse();
  program->slots = slots_read(program->code);
  return Expression(std::move(program));
}

Expression Expression::constant(std::int64_t value) {
  auto program = std::make_shared<detail::Program>();
  program->text = std::to_string(value);
  detail::Emitter(*program).constant(Value(value), 0);
  return Expression(std::move(program));
}

Evaluation Expression::evaluate(std::span<const Value> values) const noexcept {
  return detail::run(*program_, 0, values);
}

const std::string& Expression::text() const noexcept { return program_->text; }

std::span<const std::uint32_t> Expression::slots() const noexcept { return program_->slots; }

std::string Expression::explain(const Evaluation& failed, const Symbols& symbols, std::span<const Value> values) const {
  return detail::explain(*program_, failed, symbols, values);
}

}  // namespace kerntune::expr
