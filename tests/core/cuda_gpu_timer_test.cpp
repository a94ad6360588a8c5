// SPDX-License-Identifier: Apache-2.0
// Timing on a GPU. The tests print what they measure; limits are wide, for they are about kinds of mistakes.
#include "cuda_gpu_fixture.hpp"

#include <chrono>
#include <cmath>

namespace kerntune::cuda {
namespace {

using testing::HasSubstr;

// One thread's dependent multiply-adds, or its dependent loads: durations that follow from a count.
constexpr const char* kChains = R"cuda(
template <int Work> __global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[0];
  for (int k = 0; k < Work; ++k) x = fmaf(x, 0.999f, 0.001f);
  if (i < n) c[i] = a[i] + b[i] + (x == 123456.0f ? 1.0f : 0.0f);
}
template <int Steps> __global__ void chase(const float* a, const float* b, float* c, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    unsigned at = 0;
    for (int k = 0; k < Steps; ++k) at = (at + 8191 + (a[at] == 123456.0f)) % n;   // each load waits for the one before
    c[0] = at;
  }
})cuda";
constexpr const char* kChainParams =
    R"([{"name": "block", "values": [128], "default": 128, "role": "block_x"}, {"name": "work", "values": [0, 20000, 80000], "default": 0}])";

std::string steps_of(const std::string& entry) {
  return R"([{"kind": "launch", "entry": ")" + entry +
         R"json(", "grid": ["ceil_div(batch, block)"], "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i32", "value": "batch"}]}])json";
}

double spread_pct(Samples samples) {
  std::ranges::sort(samples);
  const double low = samples[samples.size() / 10], high = samples[samples.size() * 9 / 10];
  return 100 * (high - low) / samples[samples.size() / 2];
}

class GpuTimer : public Gpu {};

TEST_F(GpuTimer, DurationsFollowTheWork) {
  use_add(kChainParams, steps_of("add<{work}>"), kChains);
  open(1000);
  auto none = prepare("work=0"), some = prepare("work=20000"), more = prepare("work=80000");
  const double floor = none->facts().at("timer_floor_ns");
  const double t0 = median_ns(*none), t1 = median_ns(*some), t4 = median_ns(*more);
  std::printf("  floor %.0f ns, no work %.0f ns, 20000 steps %.0f ns, 80000 steps %.0f ns, ratio %.3f\n", floor, t0, t1,
              t4, (t4 - t0) / (t1 - t0));
  EXPECT_GT(floor, 100);
  EXPECT_LT(floor, 50000);
  EXPECT_NEAR((t4 - t0) / (t1 - t0), 4, 0.2);
}

TEST_F(GpuTimer, SamplesAreSteady) {
  use_add(kChainParams, steps_of("add<{work}>"), kChains);
  open(1000);
  for (const char* config : {"work=0", "work=20000"}) {
    auto prepared = prepare(config);
    const auto samples = session->time(*prepared, 3, 200);
    ASSERT_TRUE(samples) << samples.error().message;
    ASSERT_EQ(samples->samples_ns.size(), 200u);
    const auto [low, high] = std::ranges::minmax(samples->samples_ns);
    std::printf("  %s: 200 samples from %.0f to %.0f ns, 10th to 90th percentile %.2f %% of the median\n", config, low,
                high, spread_pct(samples->samples_ns));
    EXPECT_GT(low, 0);
    EXPECT_LT(spread_pct(samples->samples_ns), 25);
  }
}

TEST_F(GpuTimer, ColdCachesAreSlower) {
  use_add(
      R"([{"name": "block", "values": [32], "default": 32, "role": "block_x"}])",
      R"json([{"kind": "launch", "entry": "chase<400>", "grid": [1], "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i32", "value": "batch"}]}])json",
      kChains);
  session_dims["batch"] = 1 << 20;
  open(1 << 20, {MeasurePolicy::L2::cold, MeasurePolicy::Mode::eager});
  double cold = 0, warm = 0;
  {
    auto prepared = prepare("block=32");
    cold = median_ns(*prepared);
  }
  open(1 << 20, {MeasurePolicy::L2::warm, MeasurePolicy::Mode::eager});
  auto prepared = prepare("block=32");
  warm = median_ns(*prepared);
  std::printf("  400 dependent loads: cold %.0f ns (%.0f each), warm %.0f ns (%.0f each)\n", cold, cold / 400, warm,
              warm / 400);
  EXPECT_GT(cold, 1.2 * warm);
}

TEST_F(GpuTimer, GraphsTimeTheSameWork) {
  use_add(kChainParams, steps_of("add<{work}>"), kChains);
  open(1000);
  double eager = 0, graph = 0;
  {
    auto prepared = prepare("work=80000");
    eager = median_ns(*prepared);
  }
  open(1000, {MeasurePolicy::L2::cold, MeasurePolicy::Mode::graph});
  auto prepared = prepare("work=80000");
  graph = median_ns(*prepared);
  std::printf("  eager %.0f ns, graph %.0f ns\n", eager, graph);
  EXPECT_NEAR(graph / eager, 1, 0.1);
}

TEST_F(GpuTimer, CostsLittleBesidesTheLaunches) {
  use_add(kChainParams, steps_of("add<{work}>"), kChains);
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  };
  auto begin = Clock::now();
  open(1000);
  const double open_ms = since(begin);
  const CompiledModule module = compile("work=0");
  begin = Clock::now();
  auto prepared = session->prepare(testkernels::config_of(kernel, "work=0"), {module});
  const double prepare_ms = since(begin);
  ASSERT_TRUE(prepared) << prepared.error().message;
  begin = Clock::now();
  ASSERT_TRUE(session->time(**prepared, 1, 1));
  const double first_ms = since(begin);
  begin = Clock::now();
  ASSERT_TRUE(session->time(**prepared, 0, 31));
  const double more_ms = since(begin);
  begin = Clock::now();
  ASSERT_TRUE(session->verify(**prepared, 1));
  const double verify_ms = since(begin);
  begin = Clock::now();
  ASSERT_TRUE(session->verify(**prepared, 1));
  std::printf(
      "  open %.2f ms, prepare %.2f ms, first sample %.2f ms, 31 samples %.2f ms, verify %.2f ms, again %.2f ms\n",
      open_ms, prepare_ms, first_ms, more_ms, verify_ms, since(begin));
}

TEST_F(GpuTimer, RunsCallables) {
  use(testkernels::callable_spec());
  open(100000);
  auto prepared = session->prepare(testkernels::config_of(kernel, "sync=0"), {});
  ASSERT_TRUE(prepared) << prepared.error().message;
  const auto verified = session->verify(**prepared, 1);
  EXPECT_TRUE(verified) << verified.error().message;
  std::printf("  copy of 400 kB: %.0f ns\n", median_ns(**prepared));
}

TEST_F(GpuTimer, FindsCallablesThatSynchronise) {
  use(testkernels::callable_spec());
  open(1000);
  auto prepared = session->prepare(testkernels::config_of(kernel, "sync=1"), {});
  ASSERT_TRUE(prepared) << prepared.error().message;
  const auto samples = session->time(**prepared, 1, 2);
  ASSERT_FALSE(samples) << "a launch that waits for the stream was timed";
  EXPECT_EQ(samples.error().reason, Reason::launch_error);
  EXPECT_THAT(samples.error().message, HasSubstr("a launch callback that synchronises"));
  EXPECT_FALSE(session->context_lost());
}

}  // namespace
}  // namespace kerntune::cuda
