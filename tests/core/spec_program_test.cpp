// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/errors.hpp>
#include <kerntune/core/spec_program.hpp>

#include <cmath>

#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <kerntune/search/rng.hpp>

#include "spec_sample.hpp"

namespace kerntune {
namespace {

using test::full_spec;
using test::replaced;
using testing::ElementsAre;
using testing::HasSubstr;

const Dims kDims{{"batch", 8}, {"n", 1000}};

SpecProgram program_after(const std::string& from, const std::string& to) {
  return SpecProgram(parse_spec(replaced(full_spec(), from, to), "sample"));
}

SpecProgram plain() { return program_after("axpy", "axpy"); }

Binding bound(const SpecProgram& program, const std::string& config, const Dims& dims = kDims) {
  return program.bind(program.space().parse(config), dims, {}).value();
}

const char* const kConfig = "block_x=64,items=2,type=\"unsigned int\",alpha=0.5,padded=true,cap=64,min_blocks=2";

TEST(SpecProgram, StartsFromTheDefault) {
  const SpecProgram program = plain();
  EXPECT_EQ(program.space().text(program.default_config()),
            "block_x=128,items=1,type=float,alpha=2.0,padded=false,cap=0,min_blocks=0");
}

TEST(SpecProgram, CompletesSizesWithinTheirRange) {
  const SpecProgram program = plain();
  EXPECT_EQ(program.complete_dims({{"batch", 3}}), (Dims{{"batch", 3}, {"n", 1024}}));
  EXPECT_THAT([&] { program.complete_dims({{"batch", 5000}}); },
              testing::ThrowsMessage<UsageError>(HasSubstr("batch=5000 is outside 1 to 4096")));
  EXPECT_THAT([&] { program.complete_dims({{"bacth", 5}}); },
              testing::ThrowsMessage<UsageError>(HasSubstr("unknown dim 'bacth'; did you mean 'batch'?")));
}

TEST(SpecProgram, ChecksApplicability) {
  const SpecProgram program = plain();
  EXPECT_TRUE(program.applicable(bound(program, kConfig)));
  const auto rejected =
      program.applicable(bound(program, replaced(kConfig, "items=2", "items=4"), {{"batch", 1}, {"n", 2}}));
  ASSERT_FALSE(rejected);
  EXPECT_EQ(rejected.error().reason, Reason::not_applicable);
  EXPECT_THAT(rejected.error().message,
              testing::AllOf(HasSubstr("applicability[0] 'total % items == 0' is false at block_x=64,items=4"),
                             HasSubstr("batch=1,n=2")));
}

TEST(SpecProgram, PlansBuffers) {
  const SpecProgram program = plain();
  const auto buffers = program.buffers(bound(program, kConfig)).value();
  ASSERT_EQ(buffers.size(), 3U);
  EXPECT_EQ(buffers[0].count, 8000U);
  EXPECT_EQ(buffers[0].bytes, 32000U);
  EXPECT_EQ(buffers[0].alignment, 256U);
  EXPECT_EQ(buffers[2].count, 63U);  // 8000 / (64 * 2), rounded up
  EXPECT_EQ(buffers[2].bytes, 63U * 8U);
  EXPECT_EQ(buffers[2].alignment, 512U);
}

TEST(SpecProgram, PlansCompilation) {
  const SpecProgram program = plain();
  const CompilePlan plan = program.compile_plan(bound(program, kConfig)).value();
  EXPECT_THAT(plan.entries, ElementsAre("axpy<2, true, unsigned int>"));
  EXPECT_THAT(plan.options, ElementsAre("--std=c++17", "-DITEMS=2", "-DTYPE=unsigned int", "-DPADDED=1", "-DALPHA=0.5",
                                        "-DKERNTUNE_BLOCK_THREADS=64", "-DKERNTUNE_MIN_BLOCKS_PER_SM=2"));
  EXPECT_EQ(plan.register_cap, 64);
}

TEST(SpecProgram, DefinesOnlyWhatTheSourceReads) {
  const SpecProgram program = program_after("KERNTUNE_BLOCK_THREADS", "XKERNTUNE_BLOCK_THREADS");
  const CompilePlan plan =
      program.compile_plan(bound(program, replaced(kConfig, "min_blocks=2", "min_blocks=0"))).value();
  EXPECT_THAT(plan.options, Not(testing::Contains(HasSubstr("KERNTUNE_"))));
}

TEST(SpecProgram, LeavesOutEntriesOfStepsThatDoNotRun) {
  const SpecProgram program = program_after("{\"kind\": \"launch\", \"entry\": \"axpy<",
                                            "{\"kind\": \"launch\", \"entry\": \"finish\", \"when\": \"items > 2\"}, "
                                            "{\"kind\": \"launch\", \"entry\": \"axpy<");
  EXPECT_THAT(program.compile_plan(bound(program, kConfig))->entries, ElementsAre("axpy<2, true, unsigned int>"));
  const Binding four = bound(program, replaced(kConfig, "items=2", "items=4"));
  EXPECT_THAT(program.compile_plan(four)->entries, ElementsAre("finish", "axpy<4, true, unsigned int>"));
}

TEST(SpecProgram, PlansALaunch) {
  const SpecProgram program = plain();
  const Binding binding = bound(program, kConfig);
  const auto buffers = program.buffers(binding).value();
  const auto plan = std::get<LaunchPlan>(program.step(1, binding, buffers, {}).value());
  EXPECT_EQ(plan.entry, "axpy<2, true, unsigned int>");
  EXPECT_THAT(plan.grid, ElementsAre(63, 1, 1));
  EXPECT_THAT(plan.block, ElementsAre(64, 1, 1));
  EXPECT_THAT(plan.cluster, ElementsAre(0, 0, 0));
  EXPECT_EQ(plan.shared_bytes, 256U);
  EXPECT_EQ(plan.carveout, 50);
  EXPECT_FALSE(plan.cooperative);
  ASSERT_EQ(plan.args.size(), 5U);
  EXPECT_EQ(plan.args[1].offset_bytes, 4U);
  EXPECT_THAT(plan.args[2].scalar, ElementsAre(0, 0, 0, 0x3F, 0, 0, 0, 0));  // 0.5f
  EXPECT_EQ(plan.args[2].scalar_bytes, 4U);
  EXPECT_THAT(plan.args[3].scalar, ElementsAre(0x40, 0x1F, 0, 0, 0, 0, 0, 0));  // 8000
  EXPECT_EQ(plan.args[4].kind, ArgPlan::Kind::tensor_map);
  EXPECT_THAT(plan.args[4].tensor_map.dims, ElementsAre(1000, 8));
  EXPECT_THAT(plan.args[4].tensor_map.strides, ElementsAre(4000));
  EXPECT_THAT(plan.args[4].tensor_map.element_strides, ElementsAre(1, 1));
}

TEST(SpecProgram, PlansAMemset) {
  const SpecProgram program = plain();
  const Binding binding = bound(program, kConfig);
  EXPECT_TRUE(program.step_runs(0, binding).value());
  EXPECT_FALSE(program.step_runs(0, bound(program, replaced(kConfig, "items=2", "items=1"))).value());
  const auto plan = std::get<MemsetPlan>(program.step(0, binding, program.buffers(binding).value(), {}).value());
  EXPECT_EQ(plan.buffer, 2U);
  EXPECT_EQ(plan.offset_bytes, 8U);
  EXPECT_EQ(plan.bytes, 16U);
  EXPECT_EQ(plan.byte, 255);
}

TEST(SpecProgram, PlansSymbols) {
  const SpecProgram program = plain();
  const Binding binding = bound(program, kConfig);
  const auto symbols = program.symbols(binding, program.buffers(binding).value()).value();
  EXPECT_EQ(symbols[0].symbol, "scale");
  EXPECT_THAT(symbols[0].value.scalar, ElementsAre(0, 0, 0xC0, 0x3F, 0, 0, 0, 0));
  EXPECT_EQ(symbols[1].value.offset_bytes, 8U);
}

TEST(SpecProgram, ReadsFactsOnlyWhereItSaysSo) {
  const SpecProgram program =
      program_after("[\"ceil_div(total, per_block)\"]", "[\"min(blocks_per_sm * sm_count, 9)\"]");
  EXPECT_FALSE(plain().needs_facts(1));
  EXPECT_FALSE(program.needs_facts(0));
  ASSERT_TRUE(program.needs_facts(1));
  DeviceProperties device;
  device.sm_count = 4;
  const Binding binding = program.bind(program.default_config(), kDims, device).value();
  const auto plan =
      program.step(1, binding, program.buffers(binding).value(), {.regs = 32, .blocks_per_sm = 2}).value();
  EXPECT_EQ(std::get<LaunchPlan>(plan).grid[0], 8U);
}

TEST(SpecProgram, PlansReferencesWithoutAConfiguration) {
  const SpecProgram program = plain();
  const Binding binding = program.bind_dims(kDims, {});
  EXPECT_THAT(program.reference_compile_plan(binding)->entries, ElementsAre("ref"));
  const auto buffers = program.buffers(bound(program, kConfig)).value();
  const auto steps = program.reference_steps(binding, buffers).value();
  EXPECT_EQ(std::get<LaunchPlan>(steps.at(0)).grid[0], 32U);    // 8000 / 256
  EXPECT_EQ(std::get<LaunchPlan>(steps.at(0)).block[0], 256U);  // not the parameter with the role
}

TEST(SpecProgram, RejectsParametersWhereNoneAreBound) {
  const SpecProgram program = plain();
  const auto buffers = program.buffers(program.bind_dims(kDims, {}));
  ASSERT_FALSE(buffers);
  EXPECT_EQ(buffers.error().reason, Reason::bad_expression);
  EXPECT_THAT(buffers.error().message, HasSubstr("buffers[2].count 'ceil_div(total, per_block)' reads 'per_block'"));
}

TEST(SpecProgram, GivesTolerancesAndWork) {
  const SpecProgram program = plain();
  const Binding binding = program.bind_dims(kDims, {});
  EXPECT_DOUBLE_EQ(program.tolerance("y", binding).abs, 1e-3);
  EXPECT_DOUBLE_EQ(program.tolerance("y", binding).rel, 1e-6);
  EXPECT_EQ(program.tolerance("x", binding).abs, 0);
  EXPECT_EQ(program.work(binding).flop, 16000.0);
  EXPECT_EQ(program.work(binding).bytes, 96000.0);
}

TEST(SpecProgram, DerivesATolerance) {
  const SpecProgram program = program_after(R"("abs": "1e-6 * n", "rel": 1e-6)", R"("reduction": "n", "magnitude": 2)");
  const auto limits = program.tolerance("y", program.bind_dims(kDims, {}));
  EXPECT_DOUBLE_EQ(limits.abs, 4 * 1000 * 0x1p-24 * 2);
  EXPECT_DOUBLE_EQ(limits.rel, 4 * std::sqrt(1000.0) * 0x1p-24);
}

TEST(SpecProgram, WhatIsGivenOfAToleranceWins) {
  const SpecProgram program = program_after(R"("rel": 1e-6)", R"("reduction": "n", "accumulator": "f64")");
  const auto limits = program.tolerance("y", program.bind_dims(kDims, {}));
  EXPECT_DOUBLE_EQ(limits.abs, 1e-3);
  EXPECT_DOUBLE_EQ(limits.rel, 4 * std::sqrt(1000.0) * 0x1p-53 + 0x1p-24) << "summed in f64, rounded to f32 once";
}

TEST(SummationLimits, GrowWithLengthAndTypes) {
  EXPECT_EQ(summation_limits(0, 1, DType::f32, DType::f32).abs, 0);
  EXPECT_LT(summation_limits(64, 1, DType::f32, DType::f16).abs, summation_limits(64, 1, DType::f16, DType::f16).abs);
  EXPECT_EQ(unit_roundoff(DType::bf16), 1.0 / 256);
  EXPECT_EQ(unit_roundoff(DType::i32), 0);
}

/// The bound holds for sums as kernels make them, and a lost term is outside of it.
TEST(SummationLimits, HoldForRandomSumsAndNotForALostTerm) {
  search::Rng rng(3);
  for (const int terms : {16, 256, 4096}) {
    const auto limits = summation_limits(terms, 1, DType::f32, DType::f32);
    for (int trial = 0; trial < 50; ++trial) {
      float sum = 0;
      double exact = 0;
      for (int i = 0; i < terms; ++i) {
        const auto term = static_cast<float>(2 * rng.unit() - 1);
        sum += term;
        exact += term;
      }
      EXPECT_LE(std::abs(sum - exact), limits.abs + limits.rel * std::abs(exact));
    }
    EXPECT_LT(limits.abs, 0.05) << "far below the half that a lost term is off on average";
  }
}

TEST(SpecProgram, NeverGuessesATolerance) {
  const SpecProgram program = program_after("1e-6 * n", "1 // (n - 1000)");
  EXPECT_THAT([&] { program.tolerance("y", program.bind_dims(kDims, {})); },
              testing::ThrowsMessage<SpecError>(HasSubstr("tolerances[0].abs")));
}

TEST(SpecProgram, RejectsAForeignConfiguration) {
  const SpecProgram program = plain();
  EXPECT_EQ(program.bind({1, 2}, kDims, {}).error().reason, Reason::internal_error);
  EXPECT_EQ(program.bind({9, 0, 0, 0, 0, 0, 0}, kDims, {}).error().reason, Reason::internal_error);
}

TEST(SpecProgram, RejectsADerivedValueThatCannotBeEvaluated) {
  const SpecProgram program = program_after("\"value\": \"batch * n\"", "\"value\": \"batch * n * 2**60\"");
  const auto binding = program.bind(program.default_config(), kDims, {});
  ASSERT_FALSE(binding);
  EXPECT_THAT(binding.error().message, HasSubstr("derived[0].value"));
  EXPECT_THROW(program.bind_dims(kDims, {}), SpecError);
}

}  // namespace
}  // namespace kerntune
