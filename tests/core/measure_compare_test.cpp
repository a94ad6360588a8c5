// SPDX-License-Identifier: Apache-2.0
#include "measure/compare.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kerntune {
namespace {

constexpr std::uint64_t kNoPoison = 0x7fa00001;  // what none of the values below is

TEST(CompareHost, PassesWithinTheSumOfBothLimits) {
  const std::vector<float> expected{100, -100}, got{100.9F, -100.9F};
  EXPECT_TRUE(compare_host(DType::f32, got.data(), expected.data(), 2, {0.5, 0.005}, kNoPoison).ok());
  EXPECT_FALSE(compare_host(DType::f32, got.data(), expected.data(), 2, {0.5, 0.003}, kNoPoison).ok());
}

TEST(CompareHost, PassesNaNOnlyWhereItIsExpected) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> expected{1, nan, nan}, got{nan, nan, 1};
  const OutputComparison c = compare_host(DType::f32, got.data(), expected.data(), 3, {1e30, 1e30}, kNoPoison);
  EXPECT_EQ(c.mismatches, 2U);
  EXPECT_EQ(c.first, 0U);
}

TEST(CompareHost, PassesInfinityOnlyWhereItIsExpected) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> expected{1, inf, inf, inf, -inf}, got{inf, 1, -inf, inf, -inf};
  const OutputComparison c = compare_host(DType::f32, got.data(), expected.data(), 5, {1e30, 1e30}, kNoPoison);
  EXPECT_EQ(c.mismatches, 3U)
      << "an infinite expectation makes the relative limit infinite, and must not pass everything";
}

TEST(CompareHost, FindsWhatWasNotWritten) {
  const std::uint64_t poison = poison_bits(DType::f32, 5, 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> expected{1, nan, 3};
  std::vector<float> got = expected;
  poison_host(DType::f32, &got[1], 1, poison);
  const OutputComparison c = compare_host(DType::f32, got.data(), expected.data(), 3, {}, poison);
  EXPECT_EQ(c.unwritten, 1U) << "though a NaN was expected there";
  EXPECT_EQ(c.first_unwritten, 1U);
  EXPECT_FALSE(c.ok());
}

TEST(CompareHost, MeasuresTheNormsOfTheError) {
  const std::vector<double> expected{3, 4, 0}, got{3, 4, 0.5};
  const OutputComparison c = compare_host(DType::f64, got.data(), expected.data(), 3, {1, 0}, kNoPoison);
  EXPECT_TRUE(c.ok());
  EXPECT_DOUBLE_EQ(c.rel_l2_error, 0.1);
  EXPECT_DOUBLE_EQ(c.cosine, 25 / (5 * std::sqrt(25.25)));
  EXPECT_EQ(c.worst, 2U);
  EXPECT_EQ(c.worst_got, 0.5);
  EXPECT_EQ(c.worst_expected, 0);
}

TEST(CompareHost, MeasuresNothingWhereNothingIsOff) {
  const std::vector<std::int32_t> values{1, -2, 3};
  const OutputComparison c = compare_host(DType::i32, values.data(), values.data(), 3, {}, kNoPoison);
  EXPECT_EQ(c.rel_l2_error, 0);
  EXPECT_EQ(c.cosine, 1);
  EXPECT_EQ(c.max_abs_error, 0);
}

TEST(CompareHost, ComparesSignedAndUnsignedAsTheyAre) {
  const std::int8_t minus_one = -1, one = 1;
  EXPECT_EQ(compare_host(DType::i8, &minus_one, &one, 1, {}, 0).max_abs_error, 2);
  EXPECT_EQ(compare_host(DType::u8, &minus_one, &one, 1, {}, 0).max_abs_error, 254);
  const std::uint64_t most = UINT64_MAX, none = 0;
  EXPECT_GT(compare_host(DType::u64, &most, &none, 1, {}, 1).max_abs_error, 1e19);
}

TEST(CompareHost, PassesEqualInfinities) {
  const double inf = INFINITY;
  EXPECT_TRUE(compare_host(DType::f64, &inf, &inf, 1, {0, 0}, kNoPoison).ok());
}

TEST(CompareHost, ComparesLargeIntegersExactly) {
  const std::int64_t expected = (INT64_C(1) << 60) + 1, got = INT64_C(1) << 60;
  EXPECT_FALSE(compare_host(DType::i64, &got, &expected, 1, {0, 0}, kNoPoison).ok());
}

TEST(CompareHost, ReadsHalfPrecision) {
  const std::vector<std::uint16_t> f16{0x3C00, 0x0001, 0xFC00}, bf16{0x3F80};
  EXPECT_TRUE(compare_host(DType::f16, f16.data(), f16.data(), 3, {0, 0}, kNoPoison).ok());
  const std::uint16_t one_and_a_bit = 0x3C01;  // 1 + 2^-10
  const OutputComparison c = compare_host(DType::f16, &one_and_a_bit, f16.data(), 1, {0, 0}, kNoPoison);
  EXPECT_NEAR(c.max_abs_error, 1.0 / 1024, 1e-12);
  const std::uint16_t two = 0x4000;
  EXPECT_NEAR(compare_host(DType::bf16, &two, bf16.data(), 1, {0, 0}, kNoPoison).max_abs_error, 1.0, 1e-12);
}

TEST(CompareHost, DescribesTheFirstMismatch) {
  const std::vector<float> expected{1, 2, 3}, got{1, 2.5F, 3.5F};
  const OutputComparison c = compare_host(DType::f32, got.data(), expected.data(), 3, {0, 0}, kNoPoison);
  EXPECT_EQ(describe_mismatch("c", c, {0, 0}),
            "c[1]: got 2.5, expected 2 (limit 0 + 0*|expected|); 2 of 3 elements differ");
}

constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,
                            DType::u8,  DType::i32, DType::u32, DType::i64,  DType::u64};

TEST(Poison, OfRealsIsASignallingNaN) {
  for (const auto& [type, exponent, quiet] :
       {std::tuple(DType::f32, 0x7f800000ULL, 0x400000ULL), std::tuple(DType::f64, 0x7ff0ULL << 48, 1ULL << 51),
        std::tuple(DType::f16, 0x7c00ULL, 0x200ULL), std::tuple(DType::bf16, 0x7f80ULL, 0x40ULL)}) {
    for (const std::uint64_t seed : {1U, 2U, 0x5EED0001U}) {
      const std::uint64_t bits = poison_bits(type, seed, 0);
      EXPECT_EQ(bits & exponent, exponent) << name_of(type);
      EXPECT_EQ(bits & quiet, 0U) << name_of(type);
      EXPECT_NE(bits & (quiet - 1), 0U) << name_of(type) << ": an infinity";
    }
  }
}

TEST(Poison, FitsItsTypeAndDiffersBetweenRunsAndSeeds) {
  for (const DType type : kTypes) {
    SCOPED_TRACE(name_of(type));
    std::set<std::uint64_t> seen;
    for (const std::uint64_t seed : {0x5EED0001U, 0x5EED0002U, 0x5EED0003U}) {
      for (const unsigned run : {0U, 1U}) {
        const std::uint64_t bits = poison_bits(type, seed, run);
        seen.insert(bits);
        const std::uint64_t all_ones = size_of(type) < 8 ? (1ULL << (8 * size_of(type))) - 1 : ~0ULL;
        EXPECT_EQ(bits & ~all_ones, 0U);
        EXPECT_NE(bits, 0U);
        EXPECT_NE(bits, all_ones);
      }
      EXPECT_NE(poison_bits(type, seed, 0), poison_bits(type, seed, 1));
    }
    EXPECT_GE(seen.size(), 5U) << "no value may hide an unwritten element on every seed";
  }
}

TEST(Poison, IsCounted) {
  std::vector<std::uint16_t> out(5, 7);
  const std::uint64_t poison = poison_bits(DType::bf16, 9, 1);
  poison_host(DType::bf16, &out[2], 2, poison);
  std::uint64_t first = 0;
  EXPECT_EQ(count_poison(DType::bf16, out.data(), out.size(), poison, &first), 2U);
  EXPECT_EQ(first, 2U);
}

TEST(VerificationSum, KeepsTheWorstOfAll) {
  Verification total, one, other;
  one.seeds = {1};
  one.sizes = {"batch=1"};
  one.runs = one.elements = 2;
  one.max_abs_error = 1;
  one.cosine = 0.5;
  one.worst.buffer = "a";
  other = one;
  other.seeds = {2};
  other.max_abs_error = 3;
  other.rel_l2_error = 0.25;
  other.worst.buffer = "b";
  other.deterministic = false;
  total.add(one);
  total.add(other);
  total.add(one);
  EXPECT_EQ(total.seeds, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(total.sizes, std::vector<std::string>{"batch=1"});
  EXPECT_EQ(total.runs, 6U);
  EXPECT_EQ(total.max_abs_error, 3);
  EXPECT_EQ(total.rel_l2_error, 0.25);
  EXPECT_EQ(total.cosine, 0.5);
  EXPECT_EQ(total.worst.buffer, "b");
  EXPECT_FALSE(total.deterministic);
}

}  // namespace
}  // namespace kerntune
