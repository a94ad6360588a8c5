// SPDX-License-Identifier: Apache-2.0
// Spaces that could not be listed.
#include <kerntune/search/param_space.hpp>

#include <gtest/gtest.h>

#include "param_space_support.hpp"

namespace kerntune::search {
namespace {

std::string name(int i) { return "p" + std::to_string(i); }

std::vector<Param> chain_params(int count, std::int64_t values) {
  std::vector<Param> params;
  for (int i = 0; i < count; ++i) {
    params.push_back(range(name(i), 1, values));
  }
  return params;
}

/// Number of sequences of `length` numbers in 1..values in which `allowed` holds for all neighbours.
template <class Allowed>
Count count_chains(int length, std::int64_t values, Allowed&& allowed) {
  std::vector<Count> ending_in(static_cast<std::size_t>(values) + 1, 1);
  for (int step = 1; step < length; ++step) {
    std::vector<Count> next(ending_in.size(), 0);
    for (std::int64_t a = 1; a <= values; ++a) {
      for (std::int64_t b = 1; b <= values; ++b) {
        next[static_cast<std::size_t>(b)] += allowed(a, b) ? ending_in[static_cast<std::size_t>(a)] : 0;
      }
    }
    ending_in = next;
  }
  Count sum = 0;
  for (std::int64_t a = 1; a <= values; ++a) {
    sum += ending_in[static_cast<std::size_t>(a)];
  }
  return sum;
}

void expect_round_trips(const ParamSpace& space) {
  Rng rng(1);
  for (int i = 0; i < 20; ++i) {
    const Count index = rng.below128(space.count());
    EXPECT_EQ(space.index_of(space.at(index)), std::optional<Count>(index));
  }
  EXPECT_EQ(space.index_of(space.at(space.count() - 1)), std::optional<Count>(space.count() - 1));
}

TEST(GiantSpace, CountsChainsOfProducts) {
  std::vector<std::string> constraints;
  for (int i = 0; i + 1 < 30; ++i) {
    constraints.push_back(name(i) + " * " + name(i + 1) + " <= 64");
  }
  const ParamSpace space = ParamSpace::build(chain_params(30, 32), constraints);
  EXPECT_EQ(to_string(space.count()),
            to_string(count_chains(30, 32, [](std::int64_t a, std::int64_t b) { return a * b <= 64; })));
  EXPECT_GT(space.count(), Count{1'000'000'000'000'000});
  EXPECT_LT(space.memory_bytes(), 1'000'000U);
  expect_round_trips(space);
}

TEST(GiantSpace, CountsChainsOfDivisors) {
  std::vector<std::string> constraints;
  for (int i = 0; i + 1 < 40; ++i) {
    constraints.push_back(name(i + 1) + " % " + name(i) + " == 0");
  }
  const ParamSpace space = ParamSpace::build(chain_params(40, 48), constraints);
  EXPECT_EQ(to_string(space.count()),
            to_string(count_chains(40, 48, [](std::int64_t a, std::int64_t b) { return b % a == 0; })));
  expect_round_trips(space);
}

// The order of declaration must not matter: here neighbours in the chain are far apart in it.
TEST(GiantSpace, FindsTheChainInAShuffledDeclaration) {
  std::vector<Param> params = chain_params(31, 16);
  std::vector<Param> shuffled;
  for (int i = 0; i < 31; ++i) {
    shuffled.push_back(params[static_cast<std::size_t>(i * 12 % 31)]);
  }
  std::vector<std::string> constraints;
  for (int i = 0; i + 1 < 31; ++i) {
    constraints.push_back(name(i) + " <= " + name(i + 1) + " + 2");
  }
  const ParamSpace space = ParamSpace::build(shuffled, constraints);
  EXPECT_EQ(to_string(space.count()),
            to_string(count_chains(31, 16, [](std::int64_t a, std::int64_t b) { return a <= b + 2; })));
  expect_round_trips(space);
}

// Groups of four parameters with three constraints, each sharing one parameter with the next group.
TEST(GiantSpace, CountsGroupsThatShareParameters) {
  std::vector<std::string> constraints;
  for (int i = 0; i + 3 < 31; i += 3) {
    constraints.push_back(name(i) + " * " + name(i + 1) + " * " + name(i + 2) + " <= 48");
    constraints.push_back(name(i + 2) + " + " + name(i + 3) + " >= " + name(i));
    constraints.push_back(name(i + 3) + " % " + name(i + 1) + " == 0");
  }
  const ParamSpace space = ParamSpace::build(chain_params(31, 8), constraints);
  std::vector<std::vector<Count>> ways(9, std::vector<Count>(9, 0));  // from the shared parameter to the next one
  for (std::size_t a = 1; a <= 8; ++a) {
    for (std::size_t b = 1; b <= 8; ++b) {
      for (std::size_t c = 1; c <= 8; ++c) {
        for (std::size_t d = 1; d <= 8; ++d) {
          ways[a][d] += a * b * c <= 48 && c + d >= a && d % b == 0 ? 1 : 0;
        }
      }
    }
  }
  std::vector<Count> ending_in(9, 1);
  for (int group = 0; group < 10; ++group) {
    std::vector<Count> next(9, 0);
    for (std::size_t a = 1; a <= 8; ++a) {
      for (std::size_t d = 1; d <= 8; ++d) {
        next[d] += ending_in[a] * ways[a][d];
      }
    }
    ending_in = next;
  }
  Count expected = 0;
  for (std::size_t d = 1; d <= 8; ++d) {
    expected += ending_in[d];
  }
  EXPECT_EQ(to_string(space.count()), to_string(expected));
  EXPECT_GT(space.count(), Count{1'000'000'000'000'000});
  expect_round_trips(space);
}

// One constraint over all parameters: only the sum so far has to be remembered.
TEST(GiantSpace, CountsOneSumOverAllParameters) {
  std::string sum = name(0);
  for (int i = 1; i < 30; ++i) {
    sum += " + " + name(i);
  }
  const ParamSpace space = ParamSpace::build(chain_params(30, 8), {sum + " <= 120"});
  std::vector<Count> ways(241, 0);
  ways[0] = 1;
  for (int i = 0; i < 30; ++i) {
    std::vector<Count> next(241, 0);
    for (std::size_t total = 0; total <= 232; ++total) {
      for (std::size_t v = 1; v <= 8; ++v) {
        next[total + v] += ways[total];
      }
    }
    ways = next;
  }
  Count expected = 0;
  for (std::size_t total = 0; total <= 120; ++total) {
    expected += ways[total];
  }
  EXPECT_EQ(to_string(space.count()), to_string(expected));
  expect_round_trips(space);
}

TEST(GiantSpace, MultipliesIndependentGroupsExactlyBeyond64Bits) {
  std::vector<Param> params = chain_params(30, 16);
  std::vector<std::string> constraints;
  for (int i = 0; i + 1 < 30; i += 2) {
    constraints.push_back(name(i) + " < " + name(i + 1));
  }
  const ParamSpace space = ParamSpace::build(params, constraints);
  Count expected = 1;
  for (int pair = 0; pair < 15; ++pair) {
    expected *= 120;
  }
  EXPECT_EQ(to_string(space.count()), to_string(expected));
  EXPECT_GT(space.count(), Count{UINT64_MAX});
  EXPECT_LT(space.memory_bytes(), 100'000U);
  expect_round_trips(space);
}

TEST(GiantSpace, CountsUpToTheLastBit) {
  std::vector<Param> params;
  for (int i = 0; i < 128; ++i) {
    params.push_back(range(name(i), 0, 1));
  }
  std::string any = name(0);
  for (int i = 1; i < 128; ++i) {
    any += " or " + name(i);
  }
  const ParamSpace space = ParamSpace::build(params, {any});
  EXPECT_EQ(to_string(space.count()), "340282366920938463463374607431768211455");
  expect_round_trips(space);
  EXPECT_NE(space_error_of([&] { ParamSpace::build(params, {}); }), "");
}

}  // namespace
}  // namespace kerntune::search
