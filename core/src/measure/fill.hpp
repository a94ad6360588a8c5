// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kerntune/core/kernel_spec.hpp>

#include "measure/fill_params.hpp"

namespace kerntune {

namespace fill {
/// What a kernel needs to fill a buffer like fill_host does.
Params params_for(DType type, const Fill& fill, std::uint64_t seed, unsigned buffer_index);
}  // namespace fill

/// Writes `count` elements as `fill` says: a pure function of (seed, buffer index, element index, type, fill). The CUDA
/// device computes the same bits with the same text (fill_element.cuh), for every type and kind.
///
///   uniform  reals in [a, b), 24 random bits (53 for f64), rounded once to the type; integers in [a, b], both cut to
///   the type's
///            range; the generator is SplitMix64's finalizer over a counter
///   normal   mean a, standard deviation b, by the Irwin-Hall sum of twelve uniforms: within six standard deviations,
///   and
///            bit-identical everywhere, which a logarithm would not be; integers are rounded and cut to the type's
///            range
///   iota     a + index, integers wrap
///   constant, zero
///
/// Cost: 1 to 5 ns per element. Requires: `data` is aligned for the type.
void fill_host(DType type, void* data, std::uint64_t count, const Fill& fill, std::uint64_t seed,
               unsigned buffer_index);

}  // namespace kerntune
