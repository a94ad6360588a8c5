// SPDX-License-Identifier: Apache-2.0
#include "measure/fill.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/host_primitives.hpp"
// after what it asks for
#include "measure/fill_element.cuh"

namespace kerntune {
namespace fill {
namespace {

static_assert(static_cast<int>(DType::f32) == kF32 && static_cast<int>(DType::bf16) == kBf16 &&
              static_cast<int>(DType::i8) == kI8 && static_cast<int>(DType::u64) == kU64);
static_assert(static_cast<int>(Fill::Kind::zero) == kZero && static_cast<int>(Fill::Kind::uniform) == kUniform &&
              static_cast<int>(Fill::Kind::iota) == kIota);
static_assert(sizeof(Params) == 9 * 8, "kernels take it by value");

struct Range {
  double smallest, largest;
};

/// Of an integer type. Those of 64 bits end at 2^53 for rounded normals: doubles between have gaps.
Range range_of(DType type) {
  switch (type) {
    case DType::i8:
      return {-128, 127};
    case DType::u8:
      return {0, 255};
    case DType::i32:
      return {-2147483648.0, 2147483647};
    case DType::u32:
      return {0, 4294967295};
    case DType::u64:
      return {0, 9007199254740992.0};
    default:
      return {-9007199254740992.0, 9007199254740992.0};
  }
}

/// Nearest value of the type, as bits sign-extended to 64.
u64 integer_of(double value, DType type) {
  if (std::isnan(value)) return 0;
  if (type == DType::u64) {
    if (value >= 18446744073709551616.0) return std::numeric_limits<u64>::max();
    return value > 0 ? static_cast<u64>(value) : 0;
  }
  if (type == DType::i64) {
    if (value >= 9223372036854775808.0) return static_cast<u64>(std::numeric_limits<std::int64_t>::max());
    if (value < -9223372036854775808.0) value = -9223372036854775808.0;
    return static_cast<u64>(static_cast<std::int64_t>(value));
  }
  const Range range = range_of(type);
  return static_cast<u64>(static_cast<std::int64_t>(std::clamp(value, range.smallest, range.largest)));
}

template <typename Bits>
void fill_as(void* data, std::uint64_t count, const Params& params) {
  auto* elements = static_cast<Bits*>(data);
  for (std::uint64_t i = 0; i < count; ++i) elements[i] = static_cast<Bits>(element_bits(params, i));
}

}  // namespace

Params params_for(DType type, const Fill& fill, std::uint64_t seed, unsigned buffer_index) {
  Params params{};
  params.key = mix(mix(seed + 0x9e3779b97f4a7c15ull) ^ (buffer_index + 1) * 0xd1342543de82ef95ull);
  params.type = static_cast<u64>(type);
  params.kind = static_cast<u64>(fill.kind);
  params.a = fill.kind == Fill::Kind::zero ? 0 : fill.a;
  params.b = fill.b;
  params.smallest = range_of(type).smallest;
  params.largest = range_of(type).largest;
  params.low = integer_of(params.a, type);
  const u64 high = integer_of(std::max(fill.a, fill.b), type);
  params.range = high - params.low + 1;
  return params;
}

}  // namespace fill

void fill_host(DType type, void* data, std::uint64_t count, const Fill& fill, std::uint64_t seed,
               unsigned buffer_index) {
  const fill::Params params = fill::params_for(type, fill, seed, buffer_index);
  switch (size_of(type)) {
    case 1:
      return fill::fill_as<std::uint8_t>(data, count, params);
    case 2:
      return fill::fill_as<std::uint16_t>(data, count, params);
    case 4:
      return fill::fill_as<std::uint32_t>(data, count, params);
    default:
      return fill::fill_as<std::uint64_t>(data, count, params);
  }
}

}  // namespace kerntune
