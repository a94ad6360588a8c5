// SPDX-License-Identifier: Apache-2.0
// The values that buffers are filled with: one text for the host (fill.cpp) and for the device (engine_kernels.cu), so
// that both give the same bits. Only exact operations and single IEEE additions and multiplications of doubles, never
// contracted.
//
// The includer defines KERNTUNE_FN (how functions are declared) and, before this file, in namespace kerntune::fill:
//   u64   an unsigned type of 64 bits
//   u64 bits_of(double), bits_of(float); double double_of(u64)   bits as they are
//   double multiply(double, double), add(double, double)   rounded once each, to nearest
//   u64 high_product(u64, u64)       the upper 64 bits of the product
#pragma once

#include "measure/fill_params.hpp"

namespace kerntune::fill {

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014; constants of Stafford's variant 13).
KERNTUNE_FN u64 mix(u64 x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Counter-based generator: 64 random bits for (key, index, lane), without state. Consecutive indices step SplitMix64's
/// Weyl sequence from a key-dependent start; lanes mix once more.
KERNTUNE_FN u64 random_bits(u64 key, u64 index, u64 lane) {
  return mix(mix(key + (index + 1) * 0x9e3779b97f4a7c15ull) + lane * 0xd1342543de82ef95ull);
}

KERNTUNE_FN double as_double(u64 small) { return static_cast<double>(small); }

/// Rounds to the IEEE-like format with so many exponent and fraction bits, nearest even, with subnormals and infinity.
KERNTUNE_FN u64 narrowed(double value, int exponent_bits, int fraction_bits) {
  const u64 bits = bits_of(value);
  const u64 sign = (bits >> 63) << (exponent_bits + fraction_bits);
  const int wide_exponent = static_cast<int>((bits >> 52) & 2047);
  const u64 wide_fraction = bits & ((1ull << 52) - 1);
  const u64 infinity = ((1ull << exponent_bits) - 1) << fraction_bits;
  if (wide_exponent == 2047) return sign | infinity | (wide_fraction != 0 ? 1ull << (fraction_bits - 1) : 0);

  int exponent = wide_exponent - 1023 + (1 << (exponent_bits - 1)) - 1;
  int shift = 52 - fraction_bits;
  if (exponent <= 0) {
    shift += 1 - exponent;
    exponent = 1;
  }
  if (wide_exponent == 0 || shift > 60) return sign;
  const u64 significand = wide_fraction | (1ull << 52);
  u64 kept = significand >> shift;
  const u64 rest = significand & ((1ull << shift) - 1);
  const u64 half = 1ull << (shift - 1);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // The kept leading bit counts one exponent step, and so does a carry out of the fraction.
  const u64 magnitude = (static_cast<u64>(exponent - 1) << fraction_bits) + kept;
  return sign | (magnitude < infinity ? magnitude : infinity);
}

/// Value of a narrow format's bits, exactly.
KERNTUNE_FN double widened(u64 bits, int exponent_bits, int fraction_bits) {
  const u64 exponent = (bits >> fraction_bits) & ((1ull << exponent_bits) - 1);
  const u64 fraction = bits & ((1ull << fraction_bits) - 1);
  const u64 sign = ((bits >> (exponent_bits + fraction_bits)) & 1) << 63;
  const u64 rebias = static_cast<u64>(1023 - ((1 << (exponent_bits - 1)) - 1));
  if (exponent == (1ull << exponent_bits) - 1)
    return double_of(sign | 2047ull << 52 | fraction << (52 - fraction_bits));
  if (exponent != 0) return double_of(sign | (exponent + rebias) << 52 | fraction << (52 - fraction_bits));
  const double unit = double_of((1 + rebias - static_cast<u64>(fraction_bits)) << 52);  // of subnormals
  return multiply(as_double(fraction), sign != 0 ? -unit : unit);
}

/// The bits of a real in its type, in the low end of the result.
KERNTUNE_FN u64 encoded(double value, u64 type) {
  if (type == kF32) return bits_of(static_cast<float>(value));
  if (type == kF16) return narrowed(value, 5, 10);
  if (type == kBf16) return narrowed(value, 8, 7);
  return bits_of(value);
}

KERNTUNE_FN double rounded_to_type(double value, u64 type) {
  if (type == kF32) return static_cast<double>(static_cast<float>(value));
  if (type == kF16) return widened(narrowed(value, 5, 10), 5, 10);
  if (type == kBf16) return widened(narrowed(value, 8, 7), 8, 7);
  return value;
}

/// In [a, b): 53 random bits for f64, 24 for narrower types. A value that rounds up to b becomes a.
KERNTUNE_FN double uniform_real(const Params& p, u64 index) {
  const u64 bits = random_bits(p.key, index, 0);
  const double unit = p.type == kF64 ? multiply(as_double(bits >> 11), 1.0 / 9007199254740992.0)
                                     : multiply(as_double(bits >> 40), 1.0 / 16777216.0);
  const double value = add(p.a, multiply(add(p.b, -p.a), unit));
  return rounded_to_type(value, p.type) < p.b ? value : p.a;
}

/// Mean a, standard deviation b, by the Irwin-Hall sum of twelve uniforms: no logarithm or cosine, whose last bits
/// differ between libraries. Bounded to six standard deviations. Twelve 20-bit pieces of four words; the sum is exact.
KERNTUNE_FN double normal_real(const Params& p, u64 index) {
  u64 sum = 0;
  for (u64 lane = 0; lane < 4; ++lane) {
    const u64 bits = random_bits(p.key, index, lane);
    sum += (bits & 0xfffff) + ((bits >> 20) & 0xfffff) + ((bits >> 40) & 0xfffff);
  }
  const double centred = add(multiply(as_double(sum), 2.0), -12582900.0);  // 12 * (2^20 - 1)
  return add(p.a, multiply(p.b, multiply(centred, 1.0 / 2097152.0)));
}

KERNTUNE_FN u64 integer_bits(const Params& p, u64 index) {
  if (p.kind == kUniform) {
    const u64 bits = random_bits(p.key, index, 0);
    return p.low +
           (p.range == 0 ? bits : high_product(bits, p.range));  // Lemire's multiplication, bias below 2^-64 * range
  }
  if (p.kind == kIota) return p.low + index;
  if (p.kind != kNormal) return p.low;
  double value = add(normal_real(p, index), 0.5);
  value = value < p.smallest ? p.smallest : value > p.largest ? p.largest : value;
  const long long truncated = static_cast<long long>(value);
  const long long floored = static_cast<double>(truncated) > value ? truncated - 1 : truncated;
  return static_cast<u64>(floored);
}

KERNTUNE_FN bool is_real(u64 type) { return type <= kBf16; }

/// The bits of element `index`, in the low end of the result.
KERNTUNE_FN u64 element_bits(const Params& p, u64 index) {
  if (!is_real(p.type)) return integer_bits(p, index);
  if (p.kind == kUniform) return encoded(uniform_real(p, index), p.type);
  if (p.kind == kNormal) return encoded(normal_real(p, index), p.type);
  if (p.kind == kIota) return encoded(add(p.a, as_double(index)), p.type);
  return encoded(p.a, p.type);
}

}  // namespace kerntune::fill
