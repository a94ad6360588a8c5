// SPDX-License-Identifier: Apache-2.0
// Hardware counters on a GPU. Where the driver refuses them the tests skip with its reason; under
// KERNTUNE_REQUIRE_GPU=1 that, too, is a failure, unless KERNTUNE_ALLOW_NO_COUNTERS=1.
#include "cuda_gpu_fixture.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>

#include <kerntune/core/errors.hpp>

#include "counters/bottleneck.hpp"
#include "cupti/metric_sets.hpp"

namespace kerntune::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kParams = R"([{"name": "block", "values": [64, 128, 256], "default": 128, "role": "block_x"}])";
constexpr std::int64_t kElements = 16 * 1024 * 1024;  // 64 MiB a buffer: beyond any L2

class GpuCounters : public Gpu {
 protected:
  CounterProfile profile(const std::vector<Prepared*>& prepared, const CounterRequest& request = {}) {
    return session->profile(prepared, request);
  }
  /// True if counters cannot be had here and the test is to end.
  bool refused(const CounterProfile& profile) {
    if (profile.access.usable()) return false;
    const char* allowed = std::getenv("KERNTUNE_ALLOW_NO_COUNTERS");
    if (std::getenv("KERNTUNE_REQUIRE_GPU") != nullptr && allowed == nullptr)
      ADD_FAILURE() << sentence_of(profile.access);
    return true;
  }
  void open_add(std::int64_t elements, MeasurePolicy policy = {}) {
    use_add(kParams, testkernels::kAddSteps, testkernels::kAddText);
    session_dims = {{"batch", elements}};
    open(elements, policy);
  }
};

TEST_F(GpuCounters, CountsTheBytesThatAnAdditionMoves) {
  open_add(kElements);
  auto prepared = prepare("block=128");
  const double ns = median_ns(*prepared);
  const CounterProfile taken = profile({prepared.get()});
  if (refused(taken)) GTEST_SKIP() << sentence_of(taken.access);
  ASSERT_TRUE(taken.entries.at(0)) << taken.entries[0].error().message;
  const Counters& counters = *taken.entries[0];
  EXPECT_EQ(counters.passes, 1U);
  const double read = counters.value("dram__bytes_read.sum").value_or(0);
  const double expected = 2.0 * 4 * kElements;
  std::printf("  %zu metrics, %.1f of %.1f MB read, kernel %.1f us, range %.1f us\n", counters.readings.size(),
              read / 1e6, expected / 1e6, ns / 1e3, counters.value("gpu__time_duration.sum").value_or(0) / 1e3);
  EXPECT_NEAR(read, expected, 0.03 * expected);
  EXPECT_EQ(counters.value("smsp__inst_executed.sum").has_value(), true);
  const CounterFeatures features = features_of(counters, prepared->facts(), device().info(), ns);
  EXPECT_GT(features.dram_fraction.value_or(0), 0.4) << "an addition is bound by DRAM";
  for (const std::string& line : limits_text(features, prepared->facts())) std::printf("  %s\n", line.c_str());
}

TEST_F(GpuCounters, CountsTheSameAgain) {
  open_add(kElements);
  auto a = prepare("block=128"), b = prepare("block=128");
  const CounterProfile taken = profile({a.get(), b.get()});
  if (refused(taken)) GTEST_SKIP() << sentence_of(taken.access);
  const double first = taken.entries.at(0)->value("smsp__inst_executed.sum").value_or(0);
  const double second = taken.entries.at(1)->value("smsp__inst_executed.sum").value_or(1);
  EXPECT_GT(first, 0);
  EXPECT_EQ(first, second) << "instructions do not depend on caches or clocks";
}

TEST_F(GpuCounters, ASessionOfSixtyFourIsCheap) {
  open_add(100'000);
  std::vector<std::unique_ptr<Prepared>> owned;
  std::vector<Prepared*> all;
  const char* const configs[] = {"block=64", "block=128", "block=256"};
  for (int i = 0; i < 64; ++i) {
    owned.push_back(prepare(configs[i % 3]));
    all.push_back(owned.back().get());
  }
  const auto timed = [&] {
    const auto begin = Clock::now();
    const CounterProfile taken = profile(all);
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    return std::pair(taken, ms);
  };
  const auto [first, first_ms] = timed();
  if (refused(first)) GTEST_SKIP() << sentence_of(first.access);
  const auto [second, second_ms] = timed();
  std::printf("  64 configurations, %zu metrics: %.1f ms the first time, %.1f ms after that: %.2f ms each\n",
              second.entries.at(0)->readings.size(), first_ms, second_ms, second_ms / 64);
  EXPECT_EQ(second.entries.size(), 64U);
}

TEST_F(GpuCounters, LeavesTimesAlone) {
  open_add(kElements);
  auto prepared = prepare("block=128");
  (void)median_ns(*prepared, 200);
  const double before = median_ns(*prepared, 400);
  const CounterProfile taken = profile({prepared.get()});
  if (refused(taken)) GTEST_SKIP() << sentence_of(taken.access);
  const double after = median_ns(*prepared, 400);
  std::printf("  before %.2f us, after a session %.2f us: %+.2f %%\n", before / 1e3, after / 1e3,
              100 * (after / before - 1));
  EXPECT_NEAR(after / before, 1, 0.05) << "the profiler must be off again";
}

TEST_F(GpuCounters, TakesSeveralPassesAndVerifiesAfterwards) {
  open_add(100'000);
  auto prepared = prepare("block=128");
  CounterRequest deep;
  deep.set = "deep";
  deep.max_passes = 0;
  const CounterProfile taken = profile({prepared.get()}, deep);
  if (refused(taken)) GTEST_SKIP() << sentence_of(taken.access);
  EXPECT_GT(taken.entries.at(0)->passes, 1U);
  EXPECT_TRUE(session->verify(*prepared, 1)) << "what was counted is still right";
}

TEST_F(GpuCounters, RefusesAMetricThatThereIsNot) {
  open_add(1000);
  auto prepared = prepare("block=128");
  const CounterProfile usable = profile({prepared.get()});
  if (refused(usable)) GTEST_SKIP() << sentence_of(usable.access);
  CounterRequest wrong;
  wrong.metrics = {"dram__byte_read.sum"};
  EXPECT_THROW((void)profile({prepared.get()}, wrong), UsageError);
  wrong.metrics.clear();
  wrong.set = "wider";
  EXPECT_THROW((void)profile({prepared.get()}, wrong), UsageError);
}

}  // namespace
}  // namespace kerntune::cuda
