// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <kerntune/core/spec_program.hpp>

namespace kerntune {

/// Sizes beside the tuned one at which a configuration must be right before it may win: production launches it at every
/// batch below the tuned one, and whoever declares a dim's range promises the range. A pure function of its arguments:
///
///   smallest   every dim as small as it may be
///   one batch  the batch as small as it may be, the other dims as tuned
///   ragged     every dim just above the largest parameter value, a multiple of as few parameter values as possible
///   below      every dim just below the tuned one, a multiple of as few parameter values as possible
///
/// Each dim in turn takes the first value on its list under which the configuration is still applicable, the others as
/// chosen so far; where none is, it stays as tuned. Sizes that need more memory than kMaxEdgeBytes are left out, and so
/// are repetitions. `with_default`: the default configuration must be applicable too, as it is what outputs are
/// compared with.
std::vector<Dims> edge_sizes(const SpecProgram& program, const search::Config& config, const Dims& tuned,
                             const DeviceProperties& device, bool with_default);

inline constexpr std::uint64_t kMaxEdgeBytes = UINT64_C(256) << 20;

}  // namespace kerntune
