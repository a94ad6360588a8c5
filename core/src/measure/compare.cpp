// SPDX-License-Identifier: Apache-2.0
#include "measure/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "measure/host_primitives.hpp"
// after what it asks for
#include "measure/compare_element.cuh"

namespace kerntune {
namespace {

std::uint64_t load(const void* data, std::uint64_t index, std::size_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const unsigned char*>(data) + index * bytes, bytes);
  return bits;
}

/// |error| / |expected|. Sums that overflow say nothing, and then the largest element stands in.
double relative_l2(const compare::Tally& t) {
  if (t.error_squares == 0) return 0;
  if (t.expected_squares == 0) return 1;
  const double ratio = std::sqrt(t.error_squares / t.expected_squares);
  return std::isfinite(ratio) ? ratio : t.max_rel;
}

double cosine_of(const compare::Tally& t) {
  if (t.error_squares == 0) return 1;
  const double norms = std::sqrt(t.got_squares) * std::sqrt(t.expected_squares);
  if (!(norms > 0)) return 0;  // one of the two is all zero, the other is not
  const double cosine = t.products / norms;
  return std::isfinite(cosine) ? std::clamp(cosine, -1.0, 1.0) : 1;
}

}  // namespace

compare::Params compare_params(DType dtype, const SpecProgram::Limits& limits, std::uint64_t poison) noexcept {
  return {static_cast<fill::u64>(dtype), size_of(dtype), limits.abs, limits.rel, poison};
}

double element_value(DType dtype, std::uint64_t bits) noexcept {
  return compare::judge(compare_params(dtype, {}, 0), bits, bits).got;
}

OutputComparison comparison_of(const compare::Tally& tally, std::uint64_t elements) noexcept {
  OutputComparison c;
  c.elements = elements;
  c.mismatches = tally.wrong;
  c.first = tally.wrong != 0 ? tally.first_wrong : 0;
  c.unwritten = tally.unwritten;
  c.first_unwritten = tally.unwritten != 0 ? tally.first_unwritten : 0;
  c.max_abs_error = tally.max_abs;
  c.max_rel_error = tally.max_rel;
  c.worst = tally.worst != 0 ? compare::kIndexMask - (tally.worst & compare::kIndexMask) : 0;
  c.rel_l2_error = relative_l2(tally);
  c.cosine = cosine_of(tally);
  return c;
}

OutputComparison compare_host(DType dtype, const void* got, const void* expected, std::uint64_t count,
                              const SpecProgram::Limits& limits, std::uint64_t poison) {
  const compare::Params params = compare_params(dtype, limits, poison);
  const std::size_t bytes = size_of(dtype);
  compare::Tally tally;
  for (std::uint64_t i = 0; i < count; ++i)
    compare::take(tally, params, i, load(got, i, bytes), load(expected, i, bytes));
  OutputComparison c = comparison_of(tally, count);
  const auto value = [&](const void* data, std::uint64_t at) { return element_value(dtype, load(data, at, bytes)); };
  if (c.mismatches != 0) {
    c.got = value(got, c.first);
    c.expected = value(expected, c.first);
  }
  if (c.max_abs_error > 0) {
    c.worst_got = value(got, c.worst);
    c.worst_expected = value(expected, c.worst);
  }
  return c;
}

std::string describe_mismatch(std::string_view buffer, const OutputComparison& c, const SpecProgram::Limits& limits) {
  return fmt::format("{}[{}]: got {:.9g}, expected {:.9g} (limit {:.3g} + {:.3g}*|expected|); {} of {} elements differ",
                     buffer, c.first, c.got, c.expected, limits.abs, limits.rel, c.mismatches, c.elements);
}

std::string describe_unwritten(std::string_view buffer, const OutputComparison& c) {
  return fmt::format("left {} of {} elements of '{}' unwritten, the first is {}[{}]", c.unwritten, c.elements, buffer,
                     buffer, c.first_unwritten);
}

void add_to(Verification& verification, std::string_view buffer, const OutputComparison& c, std::uint64_t seed) {
  Verification one;
  one.elements = c.elements;
  one.max_abs_error = c.max_abs_error;
  one.max_rel_error = c.max_rel_error;
  one.rel_l2_error = c.rel_l2_error;
  one.cosine = c.cosine;
  if (c.max_abs_error > 0) one.worst = {std::string(buffer), {}, c.worst, seed, c.worst_got, c.worst_expected};
  verification.add(one);
}

Rejection only_when_disturbed(Rejection rejection) {
  rejection.message = "a second run with the same inputs and disturbed timing: " + rejection.message +
                      "; the first run was right, so its threads race, or it keeps something between runs";
  return rejection;
}

std::uint64_t poison_bits(DType dtype, std::uint64_t seed, unsigned run) noexcept {
  const std::uint64_t random = fill::random_bits(seed, 0x9015011, 0) << 1 | (run & 1);
  switch (dtype) {  // reals: exponent all ones, the quiet bit clear, the next one set so that the fraction is not 0
    case DType::f32:
      return 0x7fa00000 | (random & 0x1fffff);
    case DType::f64:
      return 0x7ff4000000000000 | (random & 0x3ffffffffffff);
    case DType::f16:
      return 0x7d00 | (random & 0xff);
    case DType::bf16:
      return 0x7fa0 | (random & 0x1f);
    case DType::i8:
    case DType::u8:
      return 0x81 + random % 0x7c;
    case DType::i32:
    case DType::u32:
      return 0x80000000 | (random & 0x3fffffff);
    case DType::i64:
    case DType::u64:
      return 0x8000000000000000 | (random & 0x3fffffffffffffff);
  }
  return random;
}

void poison_host(DType dtype, void* data, std::uint64_t count, std::uint64_t poison) {
  const std::size_t bytes = size_of(dtype);
  auto* at = static_cast<unsigned char*>(data);
  for (std::uint64_t i = 0; i < count; ++i, at += bytes) std::memcpy(at, &poison, bytes);
}

std::uint64_t count_poison(DType dtype, const void* data, std::uint64_t count, std::uint64_t poison,
                           std::uint64_t* first) {
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    if (load(data, i, size_of(dtype)) == poison && found++ == 0) *first = i;
  return found;
}

unsigned char guard_byte(std::uint64_t key, std::uint64_t index) noexcept {
  return static_cast<unsigned char>(fill::random_bits(key, index, 0) >> 56);
}

}  // namespace kerntune
