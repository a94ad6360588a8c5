// SPDX-License-Identifier: Apache-2.0
#include "host/compare.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kerntune {
namespace {

TEST(CompareHost, PassesWithinTheSumOfBothLimits) {
  const std::vector<float> expected{100, -100}, got{100.9F, -100.9F};
  EXPECT_TRUE(compare_host(DType::f32, got.data(), expected.data(), 2, {0.5, 0.005}).ok());
  EXPECT_FALSE(compare_host(DType::f32, got.data(), expected.data(), 2, {0.5, 0.003}).ok());
}

TEST(CompareHost, NeverPassesNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> expected{1, nan}, got{nan, nan};
  const Comparison c = compare_host(DType::f32, got.data(), expected.data(), 2, {1e30, 1e30});
  EXPECT_EQ(c.mismatches, 2U);
}

TEST(CompareHost, PassesEqualInfinities) {
  const double inf = INFINITY;
  EXPECT_TRUE(compare_host(DType::f64, &inf, &inf, 1, {0, 0}).ok());
}

TEST(CompareHost, ComparesLargeIntegersExactly) {
  const std::int64_t expected = (INT64_C(1) << 60) + 1, got = INT64_C(1) << 60;
  EXPECT_FALSE(compare_host(DType::i64, &got, &expected, 1, {0, 0}).ok());
}

TEST(CompareHost, ReadsHalfPrecision) {
  const std::vector<std::uint16_t> f16{0x3C00, 0x0001, 0xFC00}, bf16{0x3F80};
  EXPECT_TRUE(compare_host(DType::f16, f16.data(), f16.data(), 3, {0, 0}).ok());
  const std::uint16_t one_and_a_bit = 0x3C01;  // 1 + 2^-10
  const Comparison c = compare_host(DType::f16, &one_and_a_bit, f16.data(), 1, {0, 0});
  EXPECT_NEAR(c.max_abs_error, 1.0 / 1024, 1e-12);
  const std::uint16_t two = 0x4000;
  EXPECT_NEAR(compare_host(DType::bf16, &two, bf16.data(), 1, {0, 0}).max_abs_error, 1.0, 1e-12);
}

TEST(CompareHost, DescribesTheFirstMismatch) {
  const std::vector<float> expected{1, 2, 3}, got{1, 2.5F, 3.5F};
  const Comparison c = compare_host(DType::f32, got.data(), expected.data(), 3, {0, 0});
  EXPECT_EQ(describe_mismatch("c", c, {0, 0}),
            "c[1]: got 2.5, expected 2 (limit 0 + 0*|expected|); 2 of 3 elements differ");
}

TEST(CountPoison, FindsElementsThatWereNotWritten) {
  std::vector<float> out(4, 1.0F);
  std::memset(&out[2], kPoisonByte, sizeof(float));
  std::uint64_t first = 0;
  EXPECT_EQ(count_poison(DType::f32, out.data(), out.size(), &first), 1U);
  EXPECT_EQ(first, 2U);
}

}  // namespace
}  // namespace kerntune
