// SPDX-License-Identifier: Apache-2.0
// The specs of plugins/kernels: sizes of spaces, defaults that always run, geometry, steps that depend on parameters.
#include <set>
#include <string>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kerntune/search/rng.hpp>

#include "kernels_support.hpp"

namespace {

using kernels_test::h200;
using kernels_test::Kernel;
using kernels_test::turing;
using kerntune::DeviceProperties;
using kerntune::Dims;
using kerntune::LaunchPlan;
using kerntune::MemsetPlan;
using kerntune::StepPlan;

class KernelSpecs : public testing::TestWithParam<const char*> {};

TEST_P(KernelSpecs, HaveADefaultThatIsApplicableEverywhere) {
  const Kernel kernel(GetParam());
  const auto& batch = kernel.program.spec().batch_dim();
  for (const std::int64_t size : {batch.min, batch.default_value, batch.max}) {
    for (const DeviceProperties& device : {h200(), turing()}) {
      SCOPED_TRACE(size);
      const Dims dims = kernel.program.complete_dims({{batch.name, size}});
      const auto binding = kernel.program.bind(kernel.program.default_config(), dims, device);
      ASSERT_TRUE(binding.has_value()) << binding.error().message;
      EXPECT_TRUE(kernel.program.applicable(*binding).has_value());
    }
  }
}

TEST_P(KernelSpecs, HaveADefaultThatRunsWhereNothingIsAMultipleOfAnything) {
  const Kernel kernel(GetParam());
  Dims odd = kernel.program.complete_dims({});
  for (auto& [name, size] : odd) size = 37;
  const auto binding = kernel.program.bind(kernel.program.default_config(), odd, h200());
  ASSERT_TRUE(binding.has_value()) << binding.error().message;
  const auto applicable = kernel.program.applicable(*binding);
  EXPECT_TRUE(applicable.has_value()) << applicable.error().message;
}

TEST_P(KernelSpecs, StateWorkAndAReference) {
  const Kernel kernel(GetParam());
  const auto binding = kernel.program.bind_dims(kernel.program.complete_dims({}), h200());
  EXPECT_GT(kernel.program.work(binding).bytes.value_or(0), 0);
  EXPECT_TRUE(kernel.program.spec().reference.host);
  EXPECT_TRUE(kernel.plugin().has_reference());
}

TEST_P(KernelSpecs, CanBeLaunchedInEveryApplicableConfiguration) {
  const Kernel kernel(GetParam());
  const auto dims = kernel.program.complete_dims({});
  kerntune::search::Rng rng(7);
  for (int i = 0; i < 200; ++i) {
    const auto config = kernel.program.space().sample(rng);
    SCOPED_TRACE(kernel.program.space().text(config));
    const auto binding = kernel.program.bind(config, dims, h200());
    ASSERT_TRUE(binding.has_value()) << binding.error().message;
    if (!kernel.program.applicable(*binding)) continue;
    const auto buffers = kernel.program.buffers(*binding);
    ASSERT_TRUE(buffers.has_value()) << buffers.error().message;
    for (std::size_t step = 0; step < kernel.program.spec().steps.size(); ++step) {
      const auto plan = kernel.program.step(step, *binding, *buffers, {.regs = 64, .blocks_per_sm = 2});
      ASSERT_TRUE(plan.has_value()) << plan.error().message;
      if (const auto* launch = std::get_if<LaunchPlan>(&*plan)) {
        EXPECT_LE(launch->block[0] * launch->block[1] * launch->block[2], 1024U);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllKernels, KernelSpecs,
                         testing::Values("sgemm", "row_softmax", "split_reduce", "host_gemm", "copy", "transpose",
                                         "noop"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(SgemmSpec, HasThousandsOfConfigurationsAndOfBinaries) {
  const Kernel sgemm("sgemm");
  const auto& space = sgemm.program.space();
  EXPECT_GE(space.count(), 2000U);
  EXPECT_LE(space.count(), 100000U);
  EXPECT_EQ(space.evaluation_errors().count, 0U) << space.evaluation_errors().first;

  std::set<std::string> compilations;
  const auto dims = sgemm.program.complete_dims({});
  for (kerntune::search::Count index = 0; index < space.count(); ++index) {
    const auto plan = sgemm.program.compile_plan(*sgemm.program.bind(space.at(index), dims, h200()));
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    std::string options;
    for (const std::string& option : plan->options) options += option + ' ';
    compilations.insert(options);
  }
  EXPECT_GE(compilations.size(), 1000U);
}

TEST(SgemmSpec, ClearsTheOutputOnlyWhenBlocksAddToIt) {
  const Kernel sgemm("sgemm");
  const std::string tile =
      "block_m=64,block_n=64,block_k=8,thread_m=4,thread_n=4,mapping=blocked,vec=1,stages=1,pad=0,"
      "min_blocks=0,group_m=1,split_k=";
  const auto dims = sgemm.program.complete_dims({{"batch", 64}});
  const auto alone = sgemm.program.bind(sgemm.config(tile + "1"), dims, h200());
  const auto split = sgemm.program.bind(sgemm.config(tile + "4"), dims, h200());
  EXPECT_FALSE(sgemm.program.step_runs(0, *alone).value());
  EXPECT_TRUE(sgemm.program.step_runs(0, *split).value());

  const auto launch = sgemm.program.step(1, *split, *sgemm.program.buffers(*split), {});
  EXPECT_THAT(std::get<LaunchPlan>(*launch).grid, testing::ElementsAre(64, 4, 1));
  EXPECT_THAT(std::get<LaunchPlan>(*launch).block, testing::ElementsAre(256, 1, 1));
}

TEST(SgemmSpec, LoadsSingleFloatsWhereRowsAreNoMultiplesOfAVector) {
  const Kernel sgemm("sgemm");
  const auto options_at = [&](const Dims& dims) {
    const auto binding = sgemm.program.bind(sgemm.program.default_config(), sgemm.program.complete_dims(dims), h200());
    return sgemm.program.compile_plan(*binding).value().options;
  };
  EXPECT_THAT(options_at({}), testing::Contains("-DVEC=4"));
  EXPECT_THAT(options_at({{"n", 4098}}), testing::Contains("-DVEC=1"));
  EXPECT_THAT(options_at({{"k", 4095}}), testing::Contains("-DVEC=1"));
}

TEST(SplitReduceSpec, MakesTheWorkspaceThatTheParametersNeed) {
  const Kernel kernel("split_reduce");
  const auto dims = kernel.program.complete_dims({{"batch", 5}});
  const auto count = [&](const std::string& rest) {
    const auto config = kernel.config("block_x=128,vec=1,unroll=1," + rest);
    return kernel.program.buffers(*kernel.program.bind(config, dims, h200())).value().at(2).count;
  };
  EXPECT_EQ(count("splits=16,finish=workspace"), 80U);
  EXPECT_EQ(count("splits=2,finish=workspace"), 10U);
  EXPECT_EQ(count("splits=16,finish=atomic"), 1U);
}

TEST(SplitReduceSpec, RunsEitherTheClearingOrTheSecondKernel) {
  const Kernel kernel("split_reduce");
  const auto dims = kernel.program.complete_dims({});
  const auto runs = [&](std::size_t step, const std::string& finish) {
    const auto config = kernel.config("block_x=128,vec=1,unroll=1,splits=4,finish=" + finish);
    return kernel.program.step_runs(step, *kernel.program.bind(config, dims, h200())).value();
  };
  EXPECT_TRUE(runs(0, "atomic"));
  EXPECT_FALSE(runs(2, "atomic"));
  EXPECT_FALSE(runs(0, "workspace"));
  EXPECT_TRUE(runs(2, "workspace"));
}

TEST(RowSoftmaxSpec, KeepsRowsInSharedMemoryOnlyWhereTheyFit) {
  const Kernel kernel("row_softmax");
  const auto config = kernel.config("block_x=256,rows=4,vec=4,method=shared,unroll=1,fast_exp=false");
  const auto dims = kernel.program.complete_dims({{"cols", 8192}});  // 128 KiB for four rows
  EXPECT_TRUE(kernel.program.applicable(*kernel.program.bind(config, dims, h200())).has_value());
  EXPECT_FALSE(kernel.program.applicable(*kernel.program.bind(config, dims, turing())).has_value());
}

TEST(CopySpec, ResidentScheduleFillsTheDeviceOnce) {
  const Kernel kernel("copy");
  const auto config = kernel.config("block_x=256,vec=4,items=1,streaming=false,schedule=resident");
  const auto binding = kernel.program.bind(config, kernel.program.complete_dims({}), h200());
  EXPECT_TRUE(kernel.program.needs_facts(0));
  const auto plan =
      kernel.program.step(0, *binding, *kernel.program.buffers(*binding), {.regs = 32, .blocks_per_sm = 8});
  EXPECT_EQ(std::get<LaunchPlan>(*plan).grid[0], 8U * 132U);
}

TEST(HostGemmSpec, HasASpaceThatATunerCanSearchInAMinute) {
  const Kernel kernel("host_gemm");
  EXPECT_GE(kernel.program.space().count(), 300U);
  EXPECT_LE(kernel.program.space().count(), 10000U);
}

TEST(HostGemmSpec, AsksForNoMoreThreadsThanThereAreCores) {
  const Kernel kernel("host_gemm");
  DeviceProperties host;
  host.cpu_cores = 2;
  const auto applicable = [&](const std::string& threads) {
    const auto config = kernel.config("block_m=16,block_n=0,block_k=0,simd=8,unroll=1,micro_m=1,threads=" + threads);
    const auto binding = kernel.program.bind(config, kernel.program.complete_dims({}), host);
    return kernel.program.applicable(*binding).has_value();
  };
  EXPECT_TRUE(applicable("2"));
  EXPECT_FALSE(applicable("4"));
}

TEST(NoopSpec, HasHundredsOfConfigurations) { EXPECT_EQ(Kernel("noop").program.space().count(), 512U); }

}  // namespace
