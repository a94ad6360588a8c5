// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.hpp"

namespace kerntune::expr::detail {

/// Appends postfix code to a program, counts the stack it needs and folds constants.
class Emitter {
 public:
  /// Borrows `program`, whose text is set.
  explicit Emitter(Program& program) noexcept : program_(program) {}

  /// Position of the next instruction.
  std::size_t size() const noexcept { return program_.code.size(); }

  void constant(const Value& value, std::uint32_t offset);
  void string(std::string value, std::uint32_t offset);
  void load(std::size_t slot, std::uint32_t offset);
  /// A unary or binary operator, a member or a member_end, over the values on the stack.
  void operation(Op op, std::uint32_t offset);
  /// Which text the operator at span.offset computes.
  void note(const Span& span) { program_.spans.push_back(span); }

  /// A jump that pops (or, in a chain, drops) one value when it does not jump. Returns its position for land().
  std::size_t jump(Op op, std::uint32_t offset, Op chained = Op::equal);
  /// Makes the jump at `position` skip to the end of the code so far.
  void land(std::size_t position) noexcept;
  /// Turns `value condition`, whose codes begin at `value` and `condition`, into `condition jump_if_false value` and
  /// returns the jump's position.
  std::size_t condition_first(std::size_t value, std::size_t condition, std::uint32_t offset);

  /// Replaces code[first, end) by its value if it is `constant`, which is returned.
  /// Errors: ExprError if the evaluation fails.
  bool fold(std::size_t first, bool constant);

 private:
  void push(std::uint32_t offset);

  Program& program_;
  std::size_t depth_ = 0;  // values on the stack at this point of the code
};

}  // namespace kerntune::expr::detail
