// SPDX-License-Identifier: Apache-2.0
#include <kerntune/search/rng.hpp>

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace kerntune::search {
namespace {

// From an independent implementation of the published algorithms in Python.
TEST(Rng, ProducesThePublishedSequence) {
  Rng zero(0);
  EXPECT_EQ(zero(), 0x99ec5f36cb75f2b4U);
  EXPECT_EQ(zero(), 0xbf6e1f784956452aU);
  EXPECT_EQ(zero(), 0x1a5f849d4933e6e0U);
  EXPECT_EQ(zero(), 0x6aa594f1262d2d2cU);
  Rng other(42);
  EXPECT_EQ(other(), 0x15780b2e0c2ec716U);
  EXPECT_EQ(other(), 0x6104d9866d113a7eU);
}

TEST(Rng, StillAgreesAfterAThousandNumbers) {
  Rng rng(0);
  std::uint64_t last = 0;
  for (int i = 0; i < 1000; ++i) {
    last = rng();
  }
  EXPECT_EQ(last, 0x7aac8c483a2edd2fU);
}

TEST(Rng, StaysBelowTheBound) {
  Rng rng(7);
  for (const std::uint64_t bound : {1ULL, 2ULL, 3ULL, 1000ULL, (1ULL << 63) + 1, ~0ULL}) {
    for (int i = 0; i < 100; ++i) {
      ASSERT_LT(rng.below(bound), bound);
    }
  }
}

TEST(Rng, ReachesEveryNumberBelowASmallBoundEquallyOften) {
  Rng rng(1);
  std::array<int, 6> hits{};
  for (int i = 0; i < 60000; ++i) {
    ++hits[rng.below(6)];
  }
  // Standard deviation of a count: sqrt(60000 * 1/6 * 5/6) = 91; five of them.
  EXPECT_GT(*std::ranges::min_element(hits), 10000 - 460);
  EXPECT_LT(*std::ranges::max_element(hits), 10000 + 460);
}

// A plain modulo would hit the lower half of the range two times out of three.
TEST(Rng, HasNoModuloBias) {
  Rng rng(3);
  constexpr std::uint64_t third = UINT64_MAX / 3;
  int low = 0;
  for (int i = 0; i < 30000; ++i) {
    low += rng.below(2 * third) < third ? 1 : 0;
  }
  EXPECT_NEAR(low, 15000, 5 * 87);  // standard deviation sqrt(30000) / 2 = 87
}

TEST(Rng, DrawsBelowBoundsOf128Bits) {
  Rng rng(5);
  const Uint128 bound = Uint128{3} << 100;
  const Uint128 third = Uint128{1} << 100;
  std::array<int, 3> hits{};
  for (int i = 0; i < 9000; ++i) {
    const Uint128 drawn = rng.below128(bound);
    ASSERT_TRUE(drawn < bound);
    ++hits[static_cast<std::size_t>(drawn / third)];
  }
  EXPECT_NEAR(hits[0], 3000, 5 * 45);  // standard deviation sqrt(9000 * 1/3 * 2/3) = 45
  EXPECT_NEAR(hits[1], 3000, 5 * 45);
}

TEST(Rng, DrawsSmall128BitBoundsLike64BitOnes) {
  Rng a(9);
  Rng b(9);
  EXPECT_TRUE(a.below128(1000) == b.below(1000));
}

TEST(Rng, DrawsUnitRealsInTheirRange) {
  Rng rng(11);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double drawn = rng.unit();
    ASSERT_TRUE(drawn >= 0 && drawn < 1);
    sum += drawn;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 5 * 0.0029);  // standard deviation sqrt(1/12) / 100 = 0.0029
}

}  // namespace
}  // namespace kerntune::search
