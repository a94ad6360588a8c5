// SPDX-License-Identifier: Apache-2.0
// Runs per sample, the events' overhead, rotation and clocks, over the fake driver.
#include <set>

#include "cuda_fake_fixture.hpp"

namespace kerntune::cuda {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr MeasurePolicy kWarm{MeasurePolicy::L2::warm, MeasurePolicy::Mode::eager};

TEST_F(FakeDeviceTest, RunsAShortKernelInBatches) {
  driver.kernels["add"].duration_ns = 5000;
  driver.event_ns = 450;
  open(1000, kWarm);
  auto prepared = prepare();
  const auto samples = session_->time(*prepared, 0, 3);
  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_NEAR(session_->runs_per_sample(), 40, 1) << "200 us of 5 us";
  EXPECT_THAT(samples->samples_ns, testing::Each(DoubleNear(5000, 0.1)));
  EXPECT_EQ(samples->launches, 1 + 3 * session_->runs_per_sample());
}

TEST_F(FakeDeviceTest, ChoosesTheRunsOnceAndForAll) {
  driver.kernels["add"].duration_ns = 5000;
  driver.kernels["other"] = {add_body(), {8, 8, 8, 4}};
  open(1000, kWarm);
  auto first = prepare();
  ASSERT_TRUE(session_->time(*first, 0, 1));
  driver.kernels["add"].duration_ns = 25'000;
  auto second = prepare("block=128", module_of("another"));
  const auto samples = session_->time(*second, 0, 1);
  EXPECT_NEAR(session_->runs_per_sample(), 40, 1);
  EXPECT_EQ(samples->launches, 1 + session_->runs_per_sample())
      << "it is long enough for one, but all share one offset";
}

TEST_F(FakeDeviceTest, KeepsTheRunsThatAnEarlierSessionChose) {
  driver.kernels["add"].duration_ns = 5000;
  open(request_with_runs(12, kWarm));
  auto prepared = prepare();
  EXPECT_EQ(session_->time(*prepared, 0, 1)->launches, 1 + 12);
}

TEST_F(FakeDeviceTest, GivesAVerySlowConfigurationFewerRuns) {
  driver.kernels["add"].duration_ns = 1e6;
  open(request_with_runs(40, kWarm));
  auto prepared = prepare();
  const auto samples = session_->time(*prepared, 0, 1);
  ASSERT_TRUE(samples);
  EXPECT_THAT(samples->samples_ns, ElementsAre(DoubleNear(1e6, 100)));
  EXPECT_LE(samples->launches, 5);
}

TEST_F(FakeDeviceTest, SubtractsWhatAnEventPairAdds) {
  driver.event_ns = 400;
  open();
  auto prepared = prepare();
  EXPECT_NEAR(prepared->facts().at("timer_floor_ns"), 900, 0.1);
  EXPECT_NEAR(prepared->facts().at("timer_overhead_ns"), 400, 0.1);
  EXPECT_THAT(session_->time(*prepared, 0, 1)->samples_ns, ElementsAre(DoubleNear(30'000, 1)));
}

TEST_F(FakeDeviceTest, RotatesTheBuffersOfColdBatches) {
  driver.kernels["add"].duration_ns = 5000;
  std::set<const float*> outputs;
  std::set<float> inputs;
  driver.kernels["add"].body = [&, add = add_body()](const FakeLaunch& launch) {
    outputs.insert(launch.argument<float*>(2));
    inputs.insert(launch.argument<float*>(0)[3]);
    return add(launch);
  };
  open(100);  // 1200 bytes of buffers, an L2 of 4096: eight sets to write twice the cache in between
  auto prepared = prepare();
  const auto samples = session_->time(*prepared, 0, 1);
  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_EQ(outputs.size(), 8u);
  EXPECT_EQ(inputs.size(), 1u) << "every set holds the same inputs";
}

TEST_F(FakeDeviceTest, FlagsSamplesTakenBelowTheSteadyClock) {
  open();
  auto prepared = prepare();
  const auto steady = session_->time(*prepared, 0, 1);
  ASSERT_TRUE(steady);
  EXPECT_NEAR(steady->clock_mhz, 1500, 1);
  EXPECT_THAT(steady->flags, testing::IsEmpty());
  driver.cycles_per_ns = 1.2;
  const auto throttled = session_->time(*prepared, 0, 2);
  ASSERT_TRUE(throttled);
  EXPECT_THAT(throttled->flags, ElementsAre(kThrottled, kThrottled));
  EXPECT_THAT(throttled->samples_ns, testing::SizeIs(2)) << "flagged, not dropped";
}

}  // namespace
}  // namespace kerntune::cuda
