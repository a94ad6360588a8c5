// SPDX-License-Identifier: Apache-2.0
#include "host/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace kerntune {
namespace {

float f32_from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

double from_f16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

template <class T>
T load(const void* data, std::uint64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + i * sizeof(T), sizeof(T));
  return value;
}

struct Elements {
  const void* got;
  const void* expected;
  std::uint64_t count;
};

template <class Read>
Comparison compare_elements(const Elements& e, const SpecProgram::Limits& limits, Read read) {
  Comparison result;
  result.elements = e.count;
  for (std::uint64_t i = 0; i < e.count; ++i) {
    const auto raw_got = read(e.got, i);
    const auto raw_expected = read(e.expected, i);
    const double got = static_cast<double>(raw_got);
    const double expected = static_cast<double>(raw_expected);
    const double error = raw_got == raw_expected ? 0 : std::abs(got - expected);
    const bool exact = limits.abs == 0 && limits.rel == 0;
    const bool pass = exact ? raw_got == raw_expected : error <= limits.abs + limits.rel * std::abs(expected);
    if (!pass && result.mismatches++ == 0) {
      result.first = i;
      result.got = got;
      result.expected = expected;
    }
    result.max_abs_error = std::max(result.max_abs_error, error);
    if (expected != 0) result.max_rel_error = std::max(result.max_rel_error, error / std::abs(expected));
  }
  return result;
}

}  // namespace

Comparison compare_host(DType dtype, const void* got, const void* expected, std::uint64_t count,
                        const SpecProgram::Limits& limits) {
  const Elements e{got, expected, count};
  switch (dtype) {
    case DType::f32:
      return compare_elements(e, limits, load<float>);
    case DType::f64:
      return compare_elements(e, limits, load<double>);
    case DType::f16:
      return compare_elements(e, limits,
                              [](const void* p, std::uint64_t i) { return from_f16(load<std::uint16_t>(p, i)); });
    case DType::bf16:
      return compare_elements(e, limits, [](const void* p, std::uint64_t i) {
        return f32_from_bits(static_cast<std::uint32_t>(load<std::uint16_t>(p, i)) << 16);
      });
    case DType::i8:
      return compare_elements(e, limits, load<std::int8_t>);
    case DType::u8:
      return compare_elements(e, limits, load<std::uint8_t>);
    case DType::i32:
      return compare_elements(e, limits, load<std::int32_t>);
    case DType::u32:
      return compare_elements(e, limits, load<std::uint32_t>);
    case DType::i64:
      return compare_elements(e, limits, load<std::int64_t>);
    case DType::u64:
      return compare_elements(e, limits, load<std::uint64_t>);
  }
  return {};
}

std::string describe_mismatch(std::string_view buffer, const Comparison& c, const SpecProgram::Limits& limits) {
  return fmt::format("{}[{}]: got {:.9g}, expected {:.9g} (limit {:.3g} + {:.3g}*|expected|); {} of {} elements differ",
                     buffer, c.first, c.got, c.expected, limits.abs, limits.rel, c.mismatches, c.elements);
}

std::uint64_t count_poison(DType dtype, const void* data, std::uint64_t count, std::uint64_t* first) {
  const std::size_t size = size_of(dtype);
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const unsigned char* element = bytes + i * size;
    if (std::all_of(element, element + size, [](unsigned char b) { return b == kPoisonByte; }) && found++ == 0) {
      *first = i;
    }
  }
  return found;
}

}  // namespace kerntune
