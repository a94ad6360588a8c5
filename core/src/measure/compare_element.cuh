// SPDX-License-Identifier: Apache-2.0
// Comparison of an output's elements with what was expected: one text for the host (compare.cpp) and for the device
// (engine_kernels.cu), so that both accept the same. To be included after fill_element.cuh, whose includer's functions
// it uses.
#pragma once

#include "measure/compare_params.hpp"
#include "measure/fill_element.cuh"

namespace kerntune::compare {

using fill::u64;

KERNTUNE_FN double real_value(u64 bits, u64 type) {
  if (type == fill::kF16) return fill::widened(bits, 5, 10);
  if (type == fill::kBf16) return fill::widened(bits, 8, 7);
  if (type == fill::kF32) return fill::widened(bits, 8, 23);
  return fill::double_of(bits);
}

/// Sign-extends an element of a signed type, so that 64-bit arithmetic on it is right.
KERNTUNE_FN u64 extended(u64 bits, u64 type, u64 bytes) {
  const bool is_signed = type == fill::kI8 || type == fill::kI32;
  return is_signed && (bits >> (8 * bytes - 1)) != 0 ? bits | ~0ull << (8 * bytes) : bits;
}

KERNTUNE_FN double infinity() { return fill::double_of(2047ull << 52); }

/// One element. `error` is |got - expected|, infinite where only one of the two is NaN or infinite.
struct Judged {
  double got, expected;
  double error, magnitude;  // magnitude: |expected|, 0 for NaN
  bool pass;
};

KERNTUNE_FN bool within(const Params& p, double error, double magnitude) {
  const double limit = fill::add(p.abs, fill::multiply(p.rel, magnitude));
  // Infinities that are equal never come here, and an infinite limit must not pass everything.
  return error <= limit && error < infinity();
}

/// NaN passes where NaN is expected, an infinity where the same one is, and neither anywhere else.
KERNTUNE_FN Judged judge_reals(const Params& p, u64 got, u64 expected) {
  const double a = real_value(got, p.type), b = real_value(expected, p.type);
  const bool a_is_nan = a != a, b_is_nan = b != b;
  if (a_is_nan || b_is_nan) {
    const bool both = a_is_nan && b_is_nan;
    return {a, b, both ? 0 : infinity(), 0, both};
  }
  const double magnitude = b < 0 ? -b : b;
  if (a == b) return {a, b, 0, magnitude, true};
  const double difference = fill::add(a, -b);
  const double error = difference < 0 ? -difference : difference;
  return {a, b, error, magnitude, within(p, error, magnitude)};
}

/// Exact for 64-bit integers, whose difference need not fit a double's 53 bits.
KERNTUNE_FN Judged judge_integers(const Params& p, u64 got, u64 expected) {
  const u64 a = extended(got, p.type, p.bytes), b = extended(expected, p.type, p.bytes);
  const bool is_unsigned = p.type == fill::kU64;
  const bool above = is_unsigned ? a > b : static_cast<long long>(a) > static_cast<long long>(b);
  const double error = static_cast<double>(above ? a - b : b - a);
  const bool negative = !is_unsigned && static_cast<long long>(b) < 0;
  const double magnitude = static_cast<double>(negative ? 0 - b : b);
  const double got_value = is_unsigned ? static_cast<double>(a) : static_cast<double>(static_cast<long long>(a));
  return {got_value, negative ? -magnitude : magnitude, error, magnitude, within(p, error, magnitude)};
}

KERNTUNE_FN Judged judge(const Params& p, u64 got, u64 expected) {
  return fill::is_real(p.type) ? judge_reals(p, got, expected) : judge_integers(p, got, expected);
}

/// Error and place in one word, larger for larger errors (by their 24 leading bits) and, among equal ones, for earlier
/// places: its maximum needs one atomic operation. Places end at 2^40, the most elements that a buffer can have.
KERNTUNE_FN u64 worst_key(double error, u64 index) {
  return (fill::bits_of(error) >> kIndexBits << kIndexBits) | (kIndexMask - index);
}

KERNTUNE_FN void take(Tally& tally, const Params& p, u64 index, u64 got, u64 expected) {
  const Judged j = judge(p, got, expected);
  if (got == p.poison && expected != p.poison && tally.unwritten++ == 0) tally.first_unwritten = index;
  if (!j.pass && tally.wrong++ == 0) tally.first_wrong = index;
  if (j.error > 0) {
    if (j.error > tally.max_abs) tally.max_abs = j.error;
    if (j.magnitude > 0 && j.error / j.magnitude > tally.max_rel) tally.max_rel = j.error / j.magnitude;
    const u64 key = worst_key(j.error, index);
    if (key > tally.worst) tally.worst = key;
  }
  const bool finite = j.error < infinity() && j.magnitude < infinity() && j.got == j.got;
  if (!finite) return;
  tally.error_squares += j.error * j.error;
  tally.expected_squares += j.expected * j.expected;
  tally.got_squares += j.got * j.got;
  tally.products += j.got * j.expected;
}

}  // namespace kerntune::compare
