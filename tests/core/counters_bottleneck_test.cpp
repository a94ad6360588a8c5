// SPDX-License-Identifier: Apache-2.0
#include "counters/bottleneck.hpp"

#include <gmock/gmock.h>

namespace kerntune {
namespace {

using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

DeviceInfo h200() {
  DeviceInfo device;
  device.properties.sm_count = 132;
  device.properties.max_threads_per_sm = 2048;
  device.properties.warp_size = 32;
  device.peak_bytes_per_s = 4e12;
  return device;
}

Counters counters(const std::vector<std::pair<std::string, double>>& values) {
  Counters all;
  for (const auto& [metric, value] : values) {
    Reading& reading = all.readings.emplace_back();
    reading.metric = metric;
    reading.value = value;
  }
  return all;
}

const char* const kDram = "dram__bytes.sum.pct_of_peak_sustained_elapsed";
const char* const kIssue = "smsp__issue_active.avg.pct_of_peak_sustained_active";
const char* const kWarps = "sm__warps_active.avg.pct_of_peak_sustained_active";
const char* const kTime = "gpu__time_duration.sum";

TEST(CounterFeatures, TakeFractionsFromPercentages) {
  const auto f = features_of(counters({{kDram, 91}, {kIssue, 20}, {kWarps, 31}}), {{"occupancy", 0.5}}, h200(), 0);
  EXPECT_THAT(f.dram_fraction, Optional(0.91));
  EXPECT_THAT(f.issue_fraction, Optional(0.2));
  EXPECT_THAT(f.achieved_occupancy, Optional(0.31));
  EXPECT_THAT(f.possible_occupancy, Optional(0.5));
  EXPECT_FALSE(f.l2_fraction.has_value());
}

TEST(CounterFeatures, LeaveTheProfilersOwnTimeOut) {
  // The range took 40 us, the kernel in it 10: a quarter of the range's DRAM time is all of the run's.
  const auto f = features_of(counters({{kDram, 20}, {kTime, 40'000}}), {}, h200(), 10'000);
  EXPECT_THAT(f.dram_fraction, Optional(0.8));
  EXPECT_THAT(features_of(counters({{kDram, 20}, {kTime, 9'000}}), {}, h200(), 10'000).dram_fraction, Optional(0.2));
}

TEST(CounterFeatures, ComputeDramFromBytesWhereThePercentageWasNotCounted) {
  const auto f = features_of(counters({{"dram__bytes_read.sum", 3e6}, {"dram__bytes_write.sum", 1e6}, {kTime, 2'000}}),
                             {}, h200(), 2'000);
  EXPECT_THAT(f.dram_bytes, Optional(4e6));
  EXPECT_THAT(f.dram_fraction, Optional(DoubleNear(0.5, 1e-9)));
}

TEST(CounterFeatures, MeasureTheWaitForMemoryInWarpTime) {
  // Half the warp slots of 132 multiprocessors hold a warp for 1000 cycles each; a quarter of that time they wait.
  const double warp_cycles = 0.5 * 64 * 1000 * 132;
  const auto f = features_of(counters({{kWarps, 50},
                                       {"sm__cycles_active.avg", 1000},
                                       {"smsp__warps_issue_stalled_long_scoreboard.sum", warp_cycles / 4}}),
                             {}, h200(), 0);
  EXPECT_THAT(f.memory_wait_fraction, Optional(DoubleNear(0.25, 1e-9)));
}

TEST(CounterFeatures, NameTheResourceThatKeepsBlocksOut) {
  const std::string prefix = "tpc__warp_launch_cycles_stalled_shader_cs_reason_";
  const auto limiter = [&](double registers, double shared) {
    return features_of(
               counters({{prefix + "register_allocation.sum", registers}, {prefix + "shmem_allocation.sum", shared}}),
               {}, h200(), 0)
        .limiter;
  };
  EXPECT_EQ(limiter(10, 5), LaunchLimiter::registers);
  EXPECT_EQ(limiter(10, 50), LaunchLimiter::shared_memory);
  EXPECT_EQ(limiter(0, 0), LaunchLimiter::none);
}

TEST(BottleneckVector, StaysWithinItsBoundsAndAddsUpWhereNothingIsSaturated) {
  CounterFeatures f;
  f.dram_fraction = 0.3;
  f.issue_fraction = 0.5;
  f.active_fraction = 0.8;
  const Bottleneck b = bottleneck_of(f);
  EXPECT_DOUBLE_EQ(b.issue, 0.4) << "counted while active, wanted of the whole run";
  EXPECT_DOUBLE_EQ(b.tail, 0.2);
  EXPECT_DOUBLE_EQ(b.latency + b.issue + b.tail, 1.0);
  for (const double value : {b.dram, b.l2, b.l1, b.compute, b.tensor, b.issue, b.latency, b.tail}) {
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 1);
  }
}

TEST(LimitsText, SaysThatTheRoofIsReached) {
  CounterFeatures f;
  f.dram_fraction = 0.91;
  f.l2_fraction = 0.65;
  EXPECT_THAT(limits_text(f, {}),
              ElementsAre("DRAM bandwidth 91 % of peak: at the limit", "L2 throughput 65 % of peak: near the limit"));
}

TEST(LimitsText, SaysWhatALatencyBoundKernelWaitsFor) {
  CounterFeatures f;
  f.issue_fraction = 0.2;
  f.achieved_occupancy = 0.31;
  f.possible_occupancy = 0.5;
  f.memory_wait_fraction = 0.62;
  f.limiter = LaunchLimiter::registers;
  EXPECT_THAT(limits_text(f, {{"spill_bytes", 24}}),
              ElementsAre("nothing is near its limit (the nearest: instruction issue, 20 % of peak): bound by latency",
                          "warps wait for memory 62 % of their time",
                          "occupancy 31 % of 50 % possible; registers keep further blocks out",
                          "24 bytes per thread are spilled to local memory"));
}

TEST(LimitsText, IsEmptyWithoutCounters) { EXPECT_THAT(limits_text({}, {{"spill_bytes", 24}}), IsEmpty()); }

TEST(ChangesText, TellsOccupancyWithItsCause) {
  const Counters before = counters({{kWarps, 31}, {"smsp__inst_executed.sum", 1000}});
  const Counters after = counters({{kWarps, 62}, {"smsp__inst_executed.sum", 600}});
  const Facts many{{"regs", 96}}, few{{"regs", 48}};
  const auto lines = changes_text({"b", after, few, 0}, {"a", before, many, 0}, h200());
  EXPECT_THAT(lines, ElementsAre("occupancy 31 -> 62 %: fewer registers (96 -> 48)", "instructions -40 %"));
}

TEST(ChangesText, SaysNothingOfWhatDidNotChange) {
  const Counters same = counters({{kWarps, 31}, {kDram, 50}, {"smsp__inst_executed.sum", 1000}});
  EXPECT_THAT(changes_text({"b", same, {}, 0}, {"a", same, {}, 0}, h200()), IsEmpty());
}

}  // namespace
}  // namespace kerntune
