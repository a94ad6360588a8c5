// SPDX-License-Identifier: Apache-2.0
#pragma once

// Read by the host's compiler and by NVRTC: built-in types only.
namespace kerntune::fill {

typedef unsigned long long u64;  // NOLINT(modernize-use-using): as kernels spell it

// DType and Fill::Kind as numbers; fill.cpp checks that they agree.
enum Type { kF32, kF64, kF16, kBf16, kI8, kU8, kI32, kU32, kI64, kU64 };
enum Kind { kZero, kConstant, kUniform, kNormal, kIota };

/// One buffer's fill, ready to evaluate at any index. Passed to kernels by value: members of 8 bytes, no padding.
struct Params {
  u64 key;                   // from seed and buffer
  u64 type, kind;            // Type, Kind
  u64 low, range;            // integers: [low, low + range), two's complement; range 0 stands for 2^64
  double a, b;               // reals
  double smallest, largest;  // of the integer type, for rounded normals
};

}  // namespace kerntune::fill
