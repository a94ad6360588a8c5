// SPDX-License-Identifier: Apache-2.0
#include "measure/fill.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "cuda_element_functions.hpp"

namespace kerntune {
namespace {

template <typename T>
std::vector<T> filled(DType type, const Fill& fill, std::uint64_t count, std::uint64_t seed = 1, unsigned buffer = 0) {
  std::vector<T> data(count);
  fill_host(type, data.data(), count, fill, seed, buffer);
  return data;
}

TEST(Fill, UniformRealsStayInTheHalfOpenInterval) {
  const auto data = filled<float>(DType::f32, {Fill::Kind::uniform, -1, 1}, 100000);
  const auto [low, high] = std::ranges::minmax(data);
  EXPECT_GE(low, -1.0f);
  EXPECT_LT(high, 1.0f);
  double sum = 0;
  for (const float x : data) sum += x;
  // Mean of n uniforms on [-1, 1): standard deviation 1 / sqrt(3 n) = 0.0018; five of them.
  EXPECT_NEAR(sum / static_cast<double>(data.size()), 0, 0.01);
}

TEST(Fill, HalfPrecisionNeverRoundsUpToTheOpenEnd) {
  for (const std::uint16_t bits : filled<std::uint16_t>(DType::f16, {Fill::Kind::uniform, 0, 1}, 100000)) {
    ASSERT_LT(fill::widened(bits, 5, 10), 1.0);
  }
}

TEST(Fill, UniformIntegersIncludeBothEnds) {
  const auto data = filled<std::int32_t>(DType::i32, {Fill::Kind::uniform, -3, 3}, 10000);
  const auto [low, high] = std::ranges::minmax(data);
  EXPECT_EQ(low, -3);
  EXPECT_EQ(high, 3);
}

TEST(Fill, UniformIntegersAreCutToTheType) {
  const auto data = filled<std::uint8_t>(DType::u8, {Fill::Kind::uniform, -1e9, 1e9}, 10000);
  const auto [low, high] = std::ranges::minmax(data);
  EXPECT_EQ(low, 0);
  EXPECT_EQ(high, 255);
}

TEST(Fill, NormalHasItsMeanAndDeviation) {
  const auto data = filled<double>(DType::f64, {Fill::Kind::normal, 3, 2}, 100000);
  double sum = 0, squares = 0;
  for (const double x : data) sum += x;
  const double mean = sum / 1e5;
  for (const double x : data) squares += (x - mean) * (x - mean);
  EXPECT_NEAR(mean, 3, 5 * 2 / std::sqrt(1e5));
  EXPECT_NEAR(std::sqrt(squares / 1e5), 2, 5 * 2 / std::sqrt(2e5));
}

TEST(Fill, IotaCountsAndConstantRepeats) {
  EXPECT_EQ(filled<std::int64_t>(DType::i64, {Fill::Kind::iota, 10, 0}, 3), (std::vector<std::int64_t>{10, 11, 12}));
  EXPECT_EQ(filled<float>(DType::f32, {Fill::Kind::iota, 0.5, 0}, 3), (std::vector<float>{0.5f, 1.5f, 2.5f}));
  EXPECT_EQ(filled<std::uint16_t>(DType::bf16, {Fill::Kind::constant, 1, 0}, 2),
            (std::vector<std::uint16_t>{0x3f80, 0x3f80}));
  EXPECT_EQ(filled<std::uint8_t>(DType::u8, {Fill::Kind::zero, 7, 7}, 2), (std::vector<std::uint8_t>{0, 0}));
}

TEST(Fill, DependsOnSeedBufferAndIndexOnly) {
  const Fill uniform{Fill::Kind::uniform, 0, 1};
  const auto data = filled<double>(DType::f64, uniform, 100);
  EXPECT_EQ(data, filled<double>(DType::f64, uniform, 100));
  const auto longer = filled<double>(DType::f64, uniform, 200);
  EXPECT_TRUE(std::equal(data.begin(), data.end(), longer.begin()));
  EXPECT_NE(data, filled<double>(DType::f64, uniform, 100, 2));
  EXPECT_NE(data, filled<double>(DType::f64, uniform, 100, 1, 1));
}

// Recordings and other machines rely on these bits; a change makes timings and references incomparable.
TEST(Fill, KeepsItsBits) {
  EXPECT_EQ(filled<std::uint64_t>(DType::u64, {Fill::Kind::uniform, 0, 1e30}, 2),
            (std::vector<std::uint64_t>{9014329786768557617u, 3173473157403622803u}));
  EXPECT_EQ(filled<float>(DType::f32, {Fill::Kind::uniform, -1, 1}, 2),
            (std::vector<float>{-0x1.73558p-6f, -0x1.4fd63cp-1f}));
  EXPECT_EQ(filled<double>(DType::f64, {Fill::Kind::normal, 0, 1}, 2),
            (std::vector<double>{0x1.6ff54p-1, 0x1.aca5cp-2}));
}

TEST(NarrowFormats, RoundTripEveryHalf) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const double value = fill::widened(bits, 5, 10);
    if (std::isnan(value)) continue;
    ASSERT_EQ(fill::narrowed(value, 5, 10), bits);
  }
}

TEST(NarrowFormats, RoundLikeTheCompiler) {
  for (std::uint64_t i = 0; i < 200000; ++i) {
    // Random signs, exponents from far below the smallest subnormal half to above the largest, random fractions.
    const std::uint64_t random = fill::random_bits(7, i, 0);
    const double value =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(random)), static_cast<int>(random % 48) - 94);
    const _Float16 half = static_cast<_Float16>(value);
    ASSERT_EQ(fill::narrowed(value, 5, 10), std::bit_cast<std::uint16_t>(half)) << value;
  }
}

TEST(NarrowFormats, RoundTiesToEvenAndOverflowToInfinity) {
  EXPECT_EQ(fill::narrowed(1.0 + 1.0 / 256, 8, 7), 0x3f80u);  // half a step above 1
  EXPECT_EQ(fill::narrowed(1.0 + 3.0 / 256, 8, 7), 0x3f82u);
  EXPECT_EQ(fill::narrowed(65519.9, 5, 10), 0x7bffu);
  EXPECT_EQ(fill::narrowed(65520.0, 5, 10), 0x7c00u);
  EXPECT_EQ(fill::narrowed(-1e300, 8, 7), 0xff80u);
}

}  // namespace
}  // namespace kerntune
