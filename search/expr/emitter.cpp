// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <algorithm>
#include <utility>

namespace kerntune::expr::detail {

void Emitter::push(std::uint32_t offset) {
  if (++depth_ > kMaxStack) {
    throw ExprError(with_caret("too many pending operands; split the expression", program_.text, offset, 1), offset);
  }
}

void Emitter::constant(const Value& value, std::uint32_t offset) {
  push(offset);
  program_.code.push_back({Op::constant, Op::equal, static_cast<std::uint32_t>(program_.constants.size()), offset});
  program_.constants.push_back(value);
}

void Emitter::string(std::string value, std::uint32_t offset) {
  constant(Value(std::string_view(program_.strings.emplace_back(std::move(value)))), offset);
}

void Emitter::load(std::size_t slot, std::uint32_t offset) {
  push(offset);
  program_.code.push_back({Op::load, Op::equal, static_cast<std::uint32_t>(slot), offset});
}

void Emitter::operation(Op op, std::uint32_t offset) {
  program_.code.push_back({op, Op::equal, 0, offset});
  depth_ -= is_unary(op) ? 0 : 1;
}

std::size_t Emitter::jump(Op op, std::uint32_t offset, Op chained) {
  program_.code.push_back({op, chained, 0, offset});
  depth_ -= 1;
  return size() - 1;
}

void Emitter::land(std::size_t position) noexcept {
  program_.code[position].argument = static_cast<std::uint32_t>(size() - position - 1);
}

std::size_t Emitter::condition_first(std::size_t value, std::size_t condition, std::uint32_t offset) {
  auto& code = program_.code;
  const auto at = [&code](std::size_t index) { return code.begin() + static_cast<std::ptrdiff_t>(index); };
  const std::size_t position = value + (size() - condition);
  std::rotate(at(value), at(condition), code.end());
  code.insert(at(position), Instruction{Op::jump_if_false, Op::equal, 0, offset});
  depth_ -= 1;
  return position;
}

bool Emitter::fold(std::size_t first, bool constant) {
  if (!constant || size() == first + 1) {
    return constant;
  }
  const Evaluation result = run(program_, first, {});
  if (!result.ok()) {
    throw ExprError(explain(program_, result, Symbols(), {}), result.offset);
  }
  const std::uint32_t offset = program_.code[first].offset;
  program_.code.resize(first);
  depth_ -= 1;
  this->constant(result.value, offset);
  return true;
}

}  // namespace kerntune::expr::detail
