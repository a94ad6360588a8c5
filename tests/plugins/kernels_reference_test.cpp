// SPDX-License-Identifier: Apache-2.0
// The host references of plugins/kernels, against arithmetic done another way. Everything that is verified rests on
// them.
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels_support.hpp"

namespace {

using kernels_test::Kernel;
using kernels_test::Problem;
using kernels_test::random_floats;
using testing::ElementsAre;
using testing::FloatEq;
using testing::Pointwise;

// Both GEMMs promise the same product.
class GemmReference : public testing::TestWithParam<const char*> {};

TEST_P(GemmReference, MultipliesByHand) {
  Problem p({{"batch", 2}, {"n", 3}, {"k", 2}});
  p.buffer("a", {1, 2, 3, 4}).buffer("b", {5, 6, 7, 8, 9, 10}).output("c", 6);
  p.run_reference(Kernel(GetParam()));
  EXPECT_THAT(p[2], ElementsAre(21, 24, 27, 47, 54, 61));
}

TEST_P(GemmReference, PermutesRowsWhenAIsAPermutation) {
  constexpr std::size_t kSize = 7, kCols = 5;
  std::vector<float> shift(kSize * kSize, 0.0F);
  for (std::size_t i = 0; i < kSize; ++i) shift[i * kSize + (i + 2) % kSize] = 1;
  const std::vector<float> b = random_floats(kSize * kCols, 1);
  Problem p({{"batch", kSize}, {"n", kCols}, {"k", kSize}});
  p.buffer("a", shift).buffer("b", b).output("c", kSize * kCols);
  p.run_reference(Kernel(GetParam()));
  std::vector<float> expected;
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kCols; ++j) expected.push_back(b[(i + 2) % kSize * kCols + j]);
  }
  EXPECT_EQ(p[2], expected);
}

TEST_P(GemmReference, KeepsWhatFloatSumsWouldLose) {
  Problem p({{"batch", 1}, {"n", 1}, {"k", 3}});
  p.buffer("a", {1e8F, 1, -1e8F}).buffer("b", {1, 1, 1}).output("c", 1);
  p.run_reference(Kernel(GetParam()));
  EXPECT_THAT(p[2], ElementsAre(1));
}

INSTANTIATE_TEST_SUITE_P(Gemms, GemmReference, testing::Values("sgemm", "host_gemm"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(SoftmaxReference, KnowsTheRatiosOfPowers) {
  const auto log2 = static_cast<float>(std::log(2.0));
  Problem p({{"batch", 2}, {"cols", 3}});
  p.buffer("x", {0, log2, 2 * log2, 5, 5, 5}).output("out", 6);
  p.run_reference(Kernel("row_softmax"));
  EXPECT_THAT(p[1], Pointwise(FloatEq(), {1.0F / 7, 2.0F / 7, 4.0F / 7, 1.0F / 3, 1.0F / 3, 1.0F / 3}));
}

TEST(SoftmaxReference, SurvivesLargeInputs) {
  Problem p({{"batch", 1}, {"cols", 2}});
  p.buffer("x", {30000, 30000}).output("out", 2);
  p.run_reference(Kernel("row_softmax"));
  EXPECT_THAT(p[1], ElementsAre(0.5F, 0.5F));
}

TEST(SplitReduceReference, SumsEachRow) {
  std::vector<float> x(3 * 100);
  std::iota(x.begin(), x.end(), 0.0F);
  Problem p({{"batch", 3}, {"n", 100}});
  p.buffer("x", x).output("out", 3).output("partials", 1);
  p.run_reference(Kernel("split_reduce"));
  EXPECT_THAT(p[1], ElementsAre(4950, 14950, 24950));
}

TEST(TransposeReference, SwapsIndices) {
  Problem p({{"batch", 2}, {"n", 3}});
  p.buffer("in", {1, 2, 3, 4, 5, 6}).output("out", 6);
  p.run_reference(Kernel("transpose"));
  EXPECT_THAT(p[1], ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(CopyReference, Copies) {
  const std::vector<float> in = random_floats(35, 3);
  Problem p({{"batch", 5}, {"n", 7}});
  p.buffer("in", in).output("out", 35);
  p.run_reference(Kernel("copy"));
  EXPECT_EQ(p[1], in);
}

TEST(NoopReference, IsWhatTheKernelWrites) {
  const Kernel noop("noop");
  Problem p({{"batch", 1}});
  p.buffer("in", {0.25F}).output("out", 1);
  p.run(noop, noop.config("x=31,y=15"));
  EXPECT_THAT(p[1], ElementsAre(0.25F));
}

}  // namespace
