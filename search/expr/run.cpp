// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "program.hpp"

namespace kerntune::expr::detail {
namespace {

// The machine's stack: left uninitialised, because Value's zeroing would cost more than most expressions.
struct Stack {
  alignas(Value) std::byte storage[kMaxStack * sizeof(Value)];
  Value* bottom() noexcept { return reinterpret_cast<Value*>(storage); }
};

// Whether the instruction jumps; it drops the value that it tested unless it jumps with it.
bool jumps(Op op, Value*& top) noexcept {
  if (op == Op::jump) {
    return true;
  }
  const bool jumping = top->truthy() == (op == Op::or_keep);
  const bool keeping = jumping && op != Op::jump_if_false;
  top -= keeping ? 0 : 1;
  return jumping;
}

EvalErrorCode chain(const Instruction& instruction, Value*& top, bool& broken) noexcept {
  const Value right = *top--;
  const EvalErrorCode code = apply(instruction.chained, *top, right, *top);
  broken = !top->truthy();
  if (!broken) {
    *top = right;
  }
  return code;
}

}  // namespace

Evaluation run(const Program& program, std::size_t first, std::span<const Value> values) noexcept {
  Stack stack;
  Value* top = stack.bottom() - 1;
  const Instruction* const end = program.code.data() + program.code.size();
  for (const Instruction* at = program.code.data() + first; at < end; ++at) {
    EvalErrorCode code = EvalErrorCode::none;
    bool skips = false;
    if (is_unary(at->op)) {
      code = apply(at->op, *top, *top);
    } else if (is_binary(at->op)) {
      --top;
      code = apply(at->op, top[0], top[1], *top);
    } else {
      switch (at->op) {
        case Op::constant:
          *++top = program.constants[at->argument];
          break;
        case Op::load:
          *++top = values[at->argument];
          break;
        case Op::member:
          --top;
          *top = Value(top->truthy() || equal(top[-1], top[1]));
          break;
        case Op::member_end:
          --top;
          *top = top[1];
          break;
        case Op::chain:
          code = chain(*at, top, skips);
          break;
        default:
          skips = jumps(at->op, top);
          break;
      }
    }
    if (code != EvalErrorCode::none) {
      return {Value(), code, at->offset};
    }
    at += skips ? at->argument : 0;
  }
  return {*top, EvalErrorCode::none, 0};
}

}  // namespace kerntune::expr::detail
