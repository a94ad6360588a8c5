// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "engine/context.hpp"

namespace kerntune {

/// What is known of a configuration before anything runs.
struct StaticView {
  Binding binding;
  CompilePlan compile;               // empty for callables
  std::vector<LaunchPlan> launches;  // of the steps that run and need no compiled facts
  std::string other_work;  // what else a run depends on: sizes of buffers, memsets, symbols; the configuration's text
                           // if a launch depends on compiled facts
};

/// Rejects what cannot run: not applicable, or a launch beyond the device's limits. Free: no compiler, no launch.
tl::expected<StaticView, Rejection> static_filter(const TuningContext& context, const search::Config& config,
                                                  const Dims& dims);

/// After compiling: registers and shared memory against the device's limits.
tl::expected<void, Rejection> check_compiled(const TuningContext& context, const StaticView& view,
                                             const CompiledModule& module);

/// Facts from the compiler's log.
Facts compiled_facts(const CompiledModule& module);

/// Equal signatures run the same machine code with the same launches, arguments, memsets, symbols and buffers.
std::string binary_signature(const StaticView& view, const CompiledModule& module);

}  // namespace kerntune
