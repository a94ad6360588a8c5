// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "program.hpp"

namespace kerntune::expr::detail {
namespace {

const char* reason(EvalErrorCode code) {
  switch (code) {
    case EvalErrorCode::none:
      return "no error";
    case EvalErrorCode::overflow:
      return "result out of range";
    case EvalErrorCode::division_by_zero:
      return "division by zero";
    case EvalErrorCode::type_mismatch:
      return "operands of the wrong type";
    case EvalErrorCode::domain:
      return "operand outside the domain of the operation";
  }
  return "unknown error";
}

// The names that the text in [begin, end) reads, with their values.
std::string values_read(const Program& program, const Span& span, const Symbols& symbols,
                        std::span<const Value> values) {
  std::vector<std::uint32_t> slots;
  for (const Instruction& instruction : program.code) {
    const bool inside = instruction.offset >= span.begin && instruction.offset < span.end;
    if (instruction.op == Op::load && inside && instruction.argument < values.size()) {
      slots.push_back(instruction.argument);
    }
  }
  std::ranges::sort(slots);
  const auto repeated = std::ranges::unique(slots);
  slots.erase(repeated.begin(), repeated.end());
  std::string out;
  for (const std::uint32_t slot : slots) {
    out += (out.empty() ? " at " : ", ") + symbols.name(slot) + "=" + to_text(values[slot]);
  }
  return out;
}

}  // namespace

std::string explain(const Program& program, const Evaluation& failed, const Symbols& symbols,
                    std::span<const Value> values) {
  const auto span = std::ranges::find_if(program.spans, [&failed](const Span& s) { return s.offset == failed.offset; });
  if (failed.ok() || span == program.spans.end()) {
    return with_caret(reason(failed.error), program.text, failed.offset, 1);
  }
  std::string message = reason(failed.error);
  message += " in " + quoted(std::string_view(program.text).substr(span->begin, span->end - span->begin));
  message += values_read(program, *span, symbols, values);
  return with_caret(message, program.text, failed.offset, 1);
}

}  // namespace kerntune::expr::detail
