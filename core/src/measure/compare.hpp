// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <kerntune/core/device.hpp>
#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/core/spec_program.hpp>

#include "measure/compare_params.hpp"

namespace kerntune {

/// Outcome of comparing one output with what was expected.
struct OutputComparison {
  std::uint64_t elements = 0, mismatches = 0, first = 0;
  std::uint64_t unwritten = 0, first_unwritten = 0;  // that still hold the poison, though something else was expected
  double got = 0, expected = 0;                      // at the first mismatch
  double max_abs_error = 0, max_rel_error = 0, rel_l2_error = 0, cosine = 1;
  std::uint64_t worst = 0;  // place of max_abs_error; meaningless if that is 0
  double worst_got = 0, worst_expected = 0;
  bool ok() const noexcept { return mismatches == 0 && unwritten == 0; }
};

compare::Params compare_params(DType dtype, const SpecProgram::Limits& limits, std::uint64_t poison) noexcept;

/// Element by element, in double, integers exactly: passes if |got - expected| <= abs + rel * |expected|. NaN passes
/// only where NaN is expected, an infinity only where the same one is.
OutputComparison compare_host(DType dtype, const void* got, const void* expected, std::uint64_t count,
                              const SpecProgram::Limits& limits, std::uint64_t poison);

/// The same from a tally; the values at places are left to the caller.
OutputComparison comparison_of(const compare::Tally& tally, std::uint64_t elements) noexcept;
/// An element's bits, in the low end, as a number.
double element_value(DType dtype, std::uint64_t bits) noexcept;

/// "c[1234]: got 1.5, expected 1.25 (limit 1e-05 + 1e-05*|expected|); 17 of 4096 elements differ"
std::string describe_mismatch(std::string_view buffer, const OutputComparison& comparison,
                              const SpecProgram::Limits& limits);
/// "left 5 of 4096 elements of 'c' unwritten, the first is c[17]"
std::string describe_unwritten(std::string_view buffer, const OutputComparison& comparison);

/// Joins an output's comparison to a verification.
void add_to(Verification& verification, std::string_view buffer, const OutputComparison& comparison,
            std::uint64_t seed);

/// Runs of a verification at one seed and size: a quiet one and a disturbed one.
inline constexpr unsigned kRunsPerSeed = 2;
/// What is said of a configuration that passed the quiet run and not the disturbed one.
Rejection only_when_disturbed(Rejection rejection);

/// Bits of an element that nobody wrote: a signalling NaN for reals, which no arithmetic produces; for integers a
/// pattern that is neither 0 nor -1. Two runs of a seed, and nearly all seeds, have different ones, so that no expected
/// value hides an element that is never written.
std::uint64_t poison_bits(DType dtype, std::uint64_t seed, unsigned run) noexcept;
/// Writes it into `count` elements.
void poison_host(DType dtype, void* data, std::uint64_t count, std::uint64_t poison);
/// Elements that hold it, and where the first of them is.
std::uint64_t count_poison(DType dtype, const void* data, std::uint64_t count, std::uint64_t poison,
                           std::uint64_t* first);

/// Byte `index` of a guard zone: a pattern that neither a constant nor a shifted copy of it can pass for.
unsigned char guard_byte(std::uint64_t key, std::uint64_t index) noexcept;

}  // namespace kerntune
