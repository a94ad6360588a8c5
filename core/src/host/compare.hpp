// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/core/spec_program.hpp>

namespace kerntune {

/// Outcome of comparing one output buffer with what was expected.
struct Comparison {
  std::uint64_t elements = 0, mismatches = 0, first = 0;
  double got = 0, expected = 0;  // at the first mismatch
  double max_abs_error = 0, max_rel_error = 0;
  bool ok() const noexcept { return mismatches == 0; }
};

/// Element by element, in double: passes if |got - expected| <= abs + rel * |expected|. NaN never passes.
/// Integers compare exactly when both limits are 0, so that 64-bit values do not round.
Comparison compare_host(DType dtype, const void* got, const void* expected, std::uint64_t count,
                        const SpecProgram::Limits& limits);

/// "c[1234]: got 1.5, expected 1.25 (limit 1e-05 + 1e-05*|expected|); 17 of 4096 elements differ"
std::string describe_mismatch(std::string_view buffer, const Comparison& comparison, const SpecProgram::Limits& limits);

/// True where an element still holds the poison that was written before the launch (all bytes equal to it).
std::uint64_t count_poison(DType dtype, const void* data, std::uint64_t count, std::uint64_t* first);
/// Byte that outputs are poisoned with: 0xFF makes every real a NaN.
inline constexpr unsigned char kPoisonByte = 0xFF;

}  // namespace kerntune
