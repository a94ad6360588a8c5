// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <kerntune/core/spec_program.hpp>

#include "spec/evaluator.hpp"

namespace kerntune {

// Numbers of a configuration at a size, from compiled expressions. Each throws Rejected.

BufferPlan plan_buffer(const BufferSpec& buffer, const CompiledBuffer& compiled, const Evaluator& evaluator);
CompilePlan plan_compile(const CompiledCode& code, const std::vector<CompiledStep>& steps, const Evaluator& evaluator);
StepPlan plan_step(const CompiledStep& step, std::span<const BufferPlan> buffers, const Evaluator& evaluator);
LaunchPlan plan_known(const CompiledLaunch& step, const Evaluator& evaluator);
bool plan_runs(const CompiledStep& step, const Evaluator& evaluator);
ArgPlan plan_arg(const CompiledArg& arg, std::span<const BufferPlan> buffers, const Evaluator& evaluator);

}  // namespace kerntune
