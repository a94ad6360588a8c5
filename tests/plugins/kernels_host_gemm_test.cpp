// SPDX-License-Identifier: Apache-2.0
// host_gemm: every kind of configuration at sizes that fit no tile, against sums in double.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kerntune/search/rng.hpp>

#include "block_kernel.hpp"
#include "kernels_support.hpp"
#include "thread_pool.hpp"

namespace host_gemm::baseline {
BlockKernel kernel_for(const RegisterTile& tile);
}

namespace {

using host_gemm::RegisterTile;
using host_gemm::ThreadPool;
using kernels_test::Kernel;
using kernels_test::Problem;
using kernels_test::random_floats;

struct Shape {
  long m, n, k;
};
std::size_t size(long rows, long cols) { return static_cast<std::size_t>(rows * cols); }

/// Written for this test: another loop order than the plugin's own reference.
std::vector<double> product(const Shape& s, const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<double> c(size(s.m, s.n), 0.0);
  for (long i = 0; i < s.m; ++i) {
    for (long j = 0; j < s.n; ++j) {
      for (long p = 0; p < s.k; ++p)
        c[size(i, s.n) + size(j, 1)] += double{a[size(i, s.k) + size(p, 1)]} * b[size(p, s.n) + size(j, 1)];
    }
  }
  return c;
}

/// The largest |found - expected|; infinite if anything is not a number.
double worst_error(const std::vector<float>& found, const std::vector<double>& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::fabs(found[i] - expected[i]);
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
  return worst;
}

// Four unit roundoffs times k: the tolerance that the plugin declares, plus the rounding of tiny sums.
double allowed(const Shape& s) { return 2.4e-7 * static_cast<double>(s.k); }

class HostGemmAtSize : public testing::TestWithParam<Shape> {};

TEST_P(HostGemmAtSize, EqualsSumsInDoubleInRandomConfigurations) {
  const Shape s = GetParam();
  const Kernel kernel("host_gemm");
  const std::vector<float> a = random_floats(size(s.m, s.k), 1), b = random_floats(size(s.k, s.n), 2);
  const std::vector<double> expected = product(s, a, b);
  kerntune::search::Rng rng(11);
  for (int i = 0; i < 60; ++i) {
    const auto config = kernel.program.space().sample(rng);
    SCOPED_TRACE(kernel.program.space().text(config));
    Problem p({{"batch", s.m}, {"n", s.n}, {"k", s.k}});
    p.buffer("a", a).buffer("b", b).output("c", size(s.m, s.n));
    p.run(kernel, config, 2);
    EXPECT_LE(worst_error(p[2], expected), allowed(s));
    EXPECT_EQ(p[0], a);
    EXPECT_EQ(p[1], b);
  }
}

INSTANTIATE_TEST_SUITE_P(OddSizes, HostGemmAtSize,
                         testing::Values(Shape{1, 1, 1}, Shape{17, 33, 5}, Shape{1, 512, 512}, Shape{3, 7, 300},
                                         Shape{65, 129, 67}, Shape{16, 64, 64}, Shape{2, 257, 1}),
                         [](const auto& instance) {
                           const Shape& s = instance.param;
                           return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
                         });

TEST(HostGemm, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Kernel kernel("host_gemm");
  const Shape s{33, 200, 100};
  const auto on_threads = [&](const char* threads) {
    Problem p({{"batch", s.m}, {"n", s.n}, {"k", s.k}});
    p.buffer("a", random_floats(size(s.m, s.k), 1))
        .buffer("b", random_floats(size(s.k, s.n), 2))
        .output("c", size(s.m, s.n));
    p.run(kernel,
          kernel.config(std::string("block_m=16,block_n=64,block_k=64,simd=8,unroll=2,micro_m=4,threads=") + threads),
          3);
    return p[2];
  };
  const std::vector<float> one = on_threads("1");
  EXPECT_EQ(on_threads("2"), one);
  EXPECT_EQ(on_threads("16"), one);
}

// On a processor with AVX2 the plugin never picks the baseline build for wide vectors; others do.
TEST(HostGemmBlockKernel, BaselineBuildIsRightForEveryTile) {
  const Shape s{6, 71, 19};
  const std::vector<float> a = random_floats(size(s.m, s.k), 1), b = random_floats(size(s.k, s.n), 2);
  const std::vector<double> expected = product(s, a, b);
  for (const int simd : {4, 8, 16}) {
    for (const int unroll : {1, 2, 4}) {
      for (const int rows : {1, 2, 4}) {
        SCOPED_TRACE(testing::Message() << simd << ' ' << unroll << ' ' << rows);
        std::vector<float> c(size(s.m, s.n), NAN);
        const auto kernel = host_gemm::baseline::kernel_for({simd, unroll, rows});
        ASSERT_NE(kernel, nullptr);
        kernel({a.data(), b.data(), c.data(), s.n, s.k}, {0, s.m, 0, s.n, 0, 10});
        kernel({a.data(), b.data(), c.data(), s.n, s.k}, {0, s.m, 0, s.n, 10, s.k});
        EXPECT_LE(worst_error(c, expected), allowed(s));
      }
    }
  }
}

TEST(HostGemmBlockKernel, StaysInsideItsBlock) {
  const Shape s{8, 40, 12};
  const std::vector<float> a = random_floats(size(s.m, s.k), 1), b = random_floats(size(s.k, s.n), 2);
  std::vector<float> c(size(s.m, s.n), 7.0F);
  host_gemm::block_kernel({.simd = 8, .unroll = 2, .rows = 4})({a.data(), b.data(), c.data(), s.n, s.k},
                                                               {2, 7, 5, 38, 0, s.k});
  for (long i = 0; i < s.m; ++i) {
    for (long j = 0; j < s.n; ++j) {
      const bool inside = i >= 2 && i < 7 && j >= 5 && j < 38;
      EXPECT_EQ(c[size(i, s.n) + size(j, 1)] == 7.0F, !inside) << i << ' ' << j;
    }
  }
}

TEST(HostGemmBlockKernel, RefusesTilesThatWereNotBuilt) {
  EXPECT_EQ(host_gemm::block_kernel({.simd = 4, .unroll = 3, .rows = 1}), nullptr);
  EXPECT_EQ(host_gemm::block_kernel({.simd = 5, .unroll = 1, .rows = 1}), nullptr);
}

TEST(HostGemmThreadPool, RunsTheBodyOnEveryThreadInEveryRound) {
  std::atomic<int> calls = 0;
  ThreadPool pool(4, [&] { ++calls; });
  for (int round = 1; round <= 100; ++round) {
    pool.run();
    ASSERT_EQ(calls.load(), 4 * round);
  }
}

TEST(HostGemmThreadPool, OfOneRunsOnTheCaller) {
  std::thread::id ran_on;
  ThreadPool pool(1, [&] { ran_on = std::this_thread::get_id(); });
  pool.run();
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(HostGemmThreadPool, StopsWithoutEverRunning) {
  std::atomic<int> calls = 0;
  {
    ThreadPool pool(3, [&] { ++calls; });
  }
  EXPECT_EQ(calls.load(), 0);
}

}  // namespace
