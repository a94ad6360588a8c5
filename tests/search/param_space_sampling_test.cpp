// SPDX-License-Identifier: Apache-2.0
#include <kerntune/search/param_space.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include "param_space_support.hpp"

namespace kerntune::search {
namespace {

// Pearson's statistic of `draws` samples against the uniform distribution.
double chi_square(const ParamSpace& space, int draws, std::uint64_t seed) {
  std::vector<int> hits(static_cast<std::size_t>(space.count()));
  Rng rng(seed);
  for (int i = 0; i < draws; ++i) {
    ++hits[static_cast<std::size_t>(*space.index_of(space.sample(rng)))];
  }
  const double expected = static_cast<double>(draws) / static_cast<double>(hits.size());
  double sum = 0;
  for (const int count : hits) {
    sum += (count - expected) * (count - expected) / expected;
  }
  return sum;
}

// Branches differ much in size, so that choosing parameter by parameter would be far from uniform.
TEST(ParamSpaceSampling, IsUniformOverLopsidedSpaces) {
  const ParamSpace space = ParamSpace::build({ints("a", {1, 2, 3}), range("b", 1, 20), range("c", 1, 10)},
                                             {"a == 3 or b == 1", "a != 2 or c <= 2", "a != 3 or b * c <= 100"});
  const auto cells = static_cast<double>(space.count());
  ASSERT_GT(cells, 100);
  // Mean cells - 1, standard deviation sqrt(2 * (cells - 1)): five of them.
  const double spread = std::sqrt(2 * (cells - 1));
  EXPECT_LT(chi_square(space, 40000, 17), cells - 1 + 5 * spread);
  EXPECT_GT(chi_square(space, 40000, 17), cells - 1 - 5 * spread);
}

TEST(ParamSpaceSampling, RepeatsWithTheSameSeed) {
  const ParamSpace space = ParamSpace::build({range("a", 1, 50), range("b", 1, 50)}, {"a * b <= 600"});
  Rng one(4);
  Rng two(4);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(space.sample(one), space.sample(two));
  }
}

TEST(ParamSpaceSampling, DrawsOnlyValidConfigurations) {
  const ParamSpace space = ParamSpace::build({range("a", 1, 50), range("b", 1, 50)}, {"a % b == 0"});
  Rng rng(5);
  for (int i = 0; i < 200; ++i) {
    const auto values = space.values(space.sample(rng));
    ASSERT_EQ(values[0].integer() % values[1].integer(), 0);
  }
}

}  // namespace
}  // namespace kerntune::search
