// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <tl/expected.hpp>

#include "engine/context.hpp"
#include "engine/examiner.hpp"

namespace kerntune {

/// Compiles several jobs; results in their order.
using CompileAll = std::function<std::vector<tl::expected<CompiledModule, Rejection>>(const std::vector<CompileJob>&)>;

/// Compiles what the edge sizes of these configurations need where their code differs from that at the tuned size; one
/// answer per configuration. A Rejection if a configuration's own code does not compile at an edge size.
std::vector<tl::expected<std::vector<EdgeCode>, Rejection>> compile_edges(const TuningContext& context,
                                                                          const std::vector<search::Config>& configs,
                                                                          const Dims& tuned, const CompileAll& compile);

}  // namespace kerntune
