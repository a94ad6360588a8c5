// SPDX-License-Identifier: Apache-2.0
// The whole verification on a GPU, over kernels that are wrong in every way that it must catch.
#include "cuda_gpu_fixture.hpp"
#include "cuda_wrong_kernels.hpp"
#include "engine/context.hpp"
#include "engine/examiner.hpp"
#include "measure/fill.hpp"

namespace kerntune::cuda {
namespace {

using testing::AnyOf;
using testing::StartsWith;
using testkernels::kWrongBatch;
using testkernels::WrongKernel;

class GpuWrong : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped()) return;
    use(testkernels::wrong_spec());
    session_dims = {{"batch", kWrongBatch}};
    open(kWrongBatch);
  }

  /// Timed first, as the engine does: what caches has something to remember.
  tl::expected<Verification, Rejection> examine(const std::string& bug) {
    const search::Config config = testkernels::config_of(kernel, "block=128,bug=" + bug);
    const std::vector<CompiledModule> modules{compile("block=128,bug=" + bug)};
    auto prepared = session->prepare(config, modules);
    if (!prepared) return tl::unexpected(prepared.error());
    if (auto timed = session->time(**prepared, 1, 3); !timed) return tl::unexpected(timed.error());
    Examiner examiner(device(), kernel.plugin.get(), testkernels::request_for(kernel, kWrongBatch));
    return examiner.full({*session, **prepared, config, modules, {}});
  }
  std::string verdict_of(const std::string& bug) {
    const auto result = examine(bug);
    return result ? std::string("it passed") : describe(result.error());
  }
};

TEST_F(GpuWrong, PassesWhatIsRight) {
  const auto result = examine("right");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->complete);
  EXPECT_TRUE(result->deterministic);
  EXPECT_EQ(result->seeds.size(), 3u);
  EXPECT_GE(result->sizes.size(), 3u);
  EXPECT_EQ(result->max_abs_error, 0);
}

class GpuWrongKernel : public GpuWrong, public testing::WithParamInterface<WrongKernel> {};

TEST_P(GpuWrongKernel, IsRejected) { EXPECT_THAT(verdict_of(GetParam().bug), StartsWith(GetParam().verdict)); }

INSTANTIATE_TEST_SUITE_P(Of, GpuWrongKernel, testing::ValuesIn(testkernels::kWrongKernels),
                         [](const auto& wrong) { return std::string(wrong.param.bug); });

TEST_F(GpuWrong, CatchesARaceByRepetition) {
  EXPECT_THAT(verdict_of("race"), AnyOf(StartsWith("wrong_result: "), StartsWith("unwritten_output: ")));
}

TEST_F(GpuWrong, FlagsWhatIsRightButNotTheSameTwice) {
  const auto result = examine("unsteady");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->deterministic);
  EXPECT_GT(result->max_abs_error, 0);
  EXPECT_EQ(result->worst.buffer, "c");
  EXPECT_EQ(result->worst.index, 0u);
}

TEST_F(GpuWrong, CatchesACallbackThatReportsSuccessWithoutLaunching) {
  use(testkernels::callable_spec());
  open(kWrongBatch);
  const auto verdict = [&](const std::string& config) {
    auto prepared = session->prepare(testkernels::config_of(kernel, config), {});
    if (!prepared) return describe(prepared.error());
    const auto verified = session->verify(**prepared, 1);
    return verified ? std::string() : describe(verified.error());
  };
  EXPECT_EQ(verdict("sync=0"), "");
  EXPECT_THAT(verdict("sync=2"), StartsWith("unwritten_output: left 1024 of 1024 elements of 'c' unwritten"));
}

TEST_F(GpuWrong, StaysUsableAfterAllOfThem) {
  for (const WrongKernel& wrong : testkernels::kWrongKernels) EXPECT_FALSE(examine(wrong.bug)) << wrong.bug;
  const auto result = examine("right");
  EXPECT_TRUE(result) << result.error().message;
}

/// The fixture is wrong for the last of the engine's seeds alone.
TEST_F(GpuWrong, OneSeedMeansTheLastOne) {
  const auto triggers = [](std::uint64_t seed) {
    float a[3];
    fill_host(DType::f32, a, 3, Fill{Fill::Kind::uniform, -1, 1}, seed, 0);
    return a[2] > 0.5F;
  };
  const auto seeds = verification_seeds();
  EXPECT_FALSE(triggers(seeds[0]) || triggers(seeds[1]));
  EXPECT_TRUE(triggers(seeds[2]));
}

}  // namespace
}  // namespace kerntune::cuda
