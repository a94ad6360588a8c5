// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/compile.hpp>
#include <kerntune/core/spec_program.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kerntune {
namespace {

CompileJob job_of(const SourceCode& code, const CompilePlan& plan) {
  CompileJob job;
  job.file = code.file;
  job.source = code.text;
  job.options = plan.options;
  job.entries = plan.entries;
  job.arch = "sm_90";
  job.register_cap = plan.register_cap;
  return job;
}

class SaxpyT1 : public testing::Test {
 protected:
  const SpecProgram program_{load_spec_file(KERNTUNE_TEST_SAXPY)};
};

TEST_F(SaxpyT1, IsTunedPerBatch) {
  EXPECT_TRUE(program_.spec().launchable());
  EXPECT_EQ(program_.spec().batch_dim().max, 4096);
  EXPECT_TRUE(program_.spec().reference.any());
  const Dims dims = program_.complete_dims({{"batch", 3}, {"length", 1001}});
  const auto binding =
      program_.bind(program_.space().parse("block_size_x=256,items_per_thread=2,vector_width=4"), dims, {});
  const auto buffers = program_.buffers(*binding).value();
  EXPECT_EQ(buffers.at(0).count, 3003U);
  const auto plan = std::get<LaunchPlan>(program_.step(0, *binding, buffers, {}).value());
  EXPECT_EQ(plan.grid[0], 2U);  // 3003 elements, 2048 a block
  EXPECT_EQ(plan.block[0], 256U);
  EXPECT_EQ(plan.args.at(3).scalar[0], 3003 % 256);
}

TEST_F(SaxpyT1, CoversEverySizeWithEveryConfiguration) {
  const auto& space = program_.space();
  for (search::Count i = 0; i < space.count(); ++i) {
    SCOPED_TRACE(space.text(space.at(i)));
    for (const std::int64_t length : {1, 2, 3, 5, 31, 16384, 262143}) {
      const auto binding = program_.bind(space.at(i), program_.complete_dims({{"batch", 1}, {"length", length}}), {});
      const auto plan = program_.step(0, *binding, program_.buffers(*binding).value(), {});
      ASSERT_TRUE(plan) << plan.error().message;
      const auto values = space.values(space.at(i));
      const auto& launch = std::get<LaunchPlan>(*plan);
      EXPECT_GE(launch.grid[0] * launch.block[0] * values[1].integer() * values[2].integer(), length);
    }
  }
}

// Every value of each parameter, and the extremes of all together: the whole space takes minutes.
std::vector<std::string> configurations_to_compile(const search::ParamSpace& space) {
  std::vector<std::string> configs;
  for (search::Count i = 0; i < space.count(); ++i) {
    const search::Config config = space.at(i);
    const bool smallest_block = config[0] == 0;
    const bool largest_work = config[1] + 1 == space.params()[1].values.size() && config[2] == 0;
    if (smallest_block || largest_work) configs.push_back(space.text(config));
  }
  return configs;
}

TEST_F(SaxpyT1, Compiles) {
  std::string why_not;
  if (nvrtc::version(&why_not).empty()) GTEST_SKIP() << why_not;
  const auto& code = std::get<SourceCode>(program_.spec().code);
  const Dims dims = program_.complete_dims({});
  for (const std::string& config : configurations_to_compile(program_.space())) {
    SCOPED_TRACE(config);
    const auto binding = program_.bind(program_.space().parse(config), dims, {});
    const auto module = nvrtc::compile(job_of(code, program_.compile_plan(*binding).value()));
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_EQ(module->entries.at("saxpy").spill_store_bytes, 0);
  }
}

TEST_F(SaxpyT1, CompilesItsReference) {
  std::string why_not;
  if (nvrtc::version(&why_not).empty()) GTEST_SKIP() << why_not;
  const auto plan = program_.reference_compile_plan(program_.bind_dims(program_.complete_dims({}), {})).value();
  const auto module = nvrtc::compile(job_of(program_.spec().reference.kernel->code, plan));
  EXPECT_TRUE(module) << module.error().message;
}

}  // namespace
}  // namespace kerntune
