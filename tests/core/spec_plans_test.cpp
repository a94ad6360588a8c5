// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/spec_program.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "spec/evaluator.hpp"

namespace kerntune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// A kernel of one parameter p in {1, 2, 3, 4} and one size n, whose launch has `members` besides its entry.
SpecProgram launching(const std::string& members, const std::string& count = "16") {
  return SpecProgram(parse_spec(R"({"kerntune_spec": 1, "name": "k",
    "dims": [{"name": "batch", "batch": true}, {"name": "n", "min": 0, "max": 1000000000000, "default": 5}],
    "params": [{"name": "p", "values": [1, 2, 3, 4]}],
    "buffers": [{"name": "out", "dtype": "f32", "role": "out", "count": ")" +
                                    count + R"("}],
    "code": {"kind": "source", "text": "x"},
    "steps": [{"kind": "launch", "entry": "k", )" +
                                    members + "}]}",
                                "test"));
}

tl::expected<LaunchPlan, Rejection> launch(const SpecProgram& program, std::uint32_t p, std::int64_t n) {
  const auto binding = program.bind({p - 1}, {{"batch", 1}, {"n", n}}, {});
  const auto buffers = program.buffers(binding.value());
  if (!buffers) return tl::unexpected(buffers.error());
  const auto plan = program.step(0, *binding, *buffers, {});
  if (!plan) return tl::unexpected(plan.error());
  return std::get<LaunchPlan>(*plan);
}

TEST(Plans, TakeWholeRealsAsIntegers) {
  const SpecProgram program = launching(R"("grid": ["n / p"])");
  EXPECT_EQ(launch(program, 2, 8)->grid[0], 4U);
  const auto rejected = launch(program, 2, 9);
  ASSERT_FALSE(rejected);
  EXPECT_EQ(rejected.error().reason, Reason::bad_expression);
  EXPECT_EQ(rejected.error().message, "steps[0].grid[0] 'n / p' is 4.5, expected an integer at p=2; batch=1,n=9");
}

TEST(Plans, RejectGridsThatCudaDoesNotHave) {
  const SpecProgram program = launching(R"("grid": ["n", "n - 1", "2"])");
  EXPECT_THAT(launch(program, 1, 65536)->grid, ElementsAre(65536, 65535, 2));
  const auto wide = launch(program, 1, 65537);
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().reason, Reason::device_limit);
  EXPECT_THAT(wide.error().message, StartsWith("steps[0].grid[1] 'n - 1' is 65536, expected 1 to 65535"));
  EXPECT_EQ(launch(launching(R"("grid": ["n"])"), 1, 2147483647)->grid[0], 2147483647U);
  EXPECT_EQ(launch(launching(R"("grid": ["n"])"), 1, 2147483648).error().reason, Reason::device_limit);
  const auto empty = launch(program, 1, 0);
  EXPECT_EQ(empty.error().reason, Reason::bad_expression);
  EXPECT_THAT(empty.error().message, HasSubstr("is 0, expected 1 to 2147483647"));
}

TEST(Plans, RejectFailedEvaluationsWithTheirPlace) {
  const auto rejected = launch(launching(R"json("block": ["n // (p - 1)"])json"), 1, 8);
  ASSERT_FALSE(rejected);
  EXPECT_EQ(rejected.error().reason, Reason::bad_expression);
  EXPECT_THAT(rejected.error().message, testing::AllOf(HasSubstr("steps[0].block[0]"), HasSubstr("division by zero")));
}

TEST(Plans, RejectNegativeSharedMemory) {
  EXPECT_EQ(launch(launching(R"json("shared_bytes": "4 * (p - 1)")json"), 1, 1)->shared_bytes, 0U);
  EXPECT_THAT(launch(launching(R"("shared_bytes": "p - 2")"), 1, 1).error().message, HasSubstr("is -1, expected 0 to"));
}

TEST(Plans, KeepCarveoutsWithinPercent) {
  EXPECT_EQ(launch(launching(R"("carveout": -1)"), 1, 1)->carveout, -1);
  EXPECT_EQ(launch(launching(R"("carveout": "100 + p")"), 1, 1).error().reason, Reason::device_limit);
}

TEST(Plans, LaunchClustersThatDivideTheGrid) {
  const SpecProgram program = launching(R"("grid": ["n"], "cluster": ["p"])");
  EXPECT_THAT(launch(program, 2, 6)->cluster, ElementsAre(2, 1, 1));
  EXPECT_THAT(launch(program, 1, 6)->cluster, ElementsAre(0, 0, 0));
  EXPECT_THAT(launch(program, 4, 6).error().message, HasSubstr("is 4, which does not divide the grid's 6 blocks"));
}

TEST(Plans, BoundBuffers) {
  const std::string tebibyte = std::to_string(std::int64_t{1} << 38);
  EXPECT_TRUE(launch(launching("\"grid\": [1]", tebibyte), 1, 1));
  const auto large = launch(launching("\"grid\": [1]", tebibyte + " + 1"), 1, 1);
  EXPECT_EQ(large.error().reason, Reason::out_of_memory);
  EXPECT_THAT(large.error().message, HasSubstr("above 1 TiB"));
  EXPECT_EQ(launch(launching("\"grid\": [1]", "n * 4611686018427387904"), 1, 1).error().reason, Reason::out_of_memory);
  EXPECT_EQ(launch(launching("\"grid\": [1]", "n * 4611686018427387904"), 1, 2).error().reason, Reason::bad_expression);
  EXPECT_EQ(launch(launching("\"grid\": [1]", "n"), 1, 0).error().reason, Reason::bad_expression);
}

TEST(Plans, KeepOffsetsWithinBuffers) {
  const SpecProgram program = launching(R"("args": [{"buffer": "out", "offset": "n"}])");
  EXPECT_EQ(launch(program, 1, 15)->args[0].offset_bytes, 60U);
  EXPECT_THAT(launch(program, 1, 16).error().message, HasSubstr("is 16, beyond the 16 elements of 'out'"));
}

TEST(Plans, KeepScalarsWithinTheirType) {
  const SpecProgram program = launching(R"("args": [{"scalar": "u8", "value": "n"}])");
  EXPECT_EQ(launch(program, 1, 255)->args[0].scalar[0], 255);
  EXPECT_THAT(launch(program, 1, 256).error().message, HasSubstr("is 256, expected 0 to 255"));
  const SpecProgram narrow = launching(R"("args": [{"scalar": "i8", "value": "-n"}])");
  EXPECT_THAT(launch(narrow, 1, 2)->args[0].scalar, ElementsAre(0xFE, 0, 0, 0, 0, 0, 0, 0));
}

TEST(Plans, RejectRealsThatTheTypeCannotHold) {
  EXPECT_THAT(launch(launching(R"("args": [{"scalar": "f16", "value": "65504 * n"}])"), 1, 2).error().message,
              HasSubstr("beyond the range of f16"));
  EXPECT_TRUE(launch(launching(R"("args": [{"scalar": "f16", "value": "65504 * n"}])"), 1, 1));
  EXPECT_FALSE(launch(launching(R"("args": [{"scalar": "f32", "value": "1e39"}])"), 1, 1));
}

TEST(Plans, KeepTensorMapsWithinCudasLimits) {
  const auto with = [](const std::string& box, const std::string& stride) {
    return launch(launching(R"("args": [{"tensor_map": "out", "dims": [4, 4], "strides": [")" + stride +
                            R"("], "box": [")" + box + R"(", 1]}])"),
                  1, 1);
  };
  EXPECT_TRUE(with("4", "16"));
  EXPECT_THAT(with("257", "16").error().message, HasSubstr("args[0].box[0] '257' is 257, expected 1 to 256"));
  EXPECT_THAT(with("4", "20").error().message, HasSubstr("expected a multiple of 16 bytes"));
}

// Every f16 value is exact in double and must come back; halfway values go to the even neighbour.
TEST(Plans, RoundToHalfAsTheHardwareDoes) {
  for (unsigned bits = 0; bits < 0x7C00; ++bits) {
    const int exponent = static_cast<int>(bits >> 10);
    const unsigned mantissa = bits & 0x3FFU;
    const double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    ASSERT_EQ(to_f16(value), bits);
    ASSERT_EQ(to_f16(-value), bits | 0x8000U);
    const double next = bits == 0x7BFF ? 65536.0 : value + std::ldexp(1, std::max(exponent, 1) - 25);
    ASSERT_EQ(to_f16((value + next) / 2), bits % 2 == 0 ? bits : bits + 1) << bits;
  }
  EXPECT_EQ(to_f16(std::numeric_limits<double>::infinity()), 0x7C00);
  EXPECT_EQ(to_f16(std::nan("")) & 0x7E00, 0x7E00);
}

// bfloat16 is the upper half of a float.
TEST(Plans, RoundToBfloat16AsTheUpperHalfOfAFloat) {
  for (unsigned bits = 0; bits < 0x7F80; ++bits) {
    const std::uint32_t wide = bits << 16;
    float value = 0;
    std::memcpy(&value, &wide, sizeof value);
    ASSERT_EQ(to_bf16(value), bits);
    const std::uint32_t halfway = wide | 0x8000U;
    std::memcpy(&value, &halfway, sizeof value);
    ASSERT_EQ(to_bf16(value), bits % 2 == 0 ? bits : bits + 1) << bits;
  }
}

}  // namespace
}  // namespace kerntune
