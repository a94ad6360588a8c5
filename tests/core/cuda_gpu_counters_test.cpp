// SPDX-License-Identifier: Apache-2.0
// Hardware counters on a GPU. Where the driver refuses them the tests skip with its reason; under
// KERNTUNE_REQUIRE_GPU=1 that, too, is a failure, unless KERNTUNE_ALLOW_NO_COUNTERS=1.
#include "cuda_gpu_fixture.hpp"

#include <algorithm>
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

/// Owners of the configurations, and what a session is given.
struct Batch {
  std::vector<std::unique_ptr<Prepared>> owned;
  std::vector<Prepared*> all;
};

TEST_F(GpuCounters, SessionsOfSixtyFour) {
  open_add(100'000);
  Batch batch;
  const char* const configs[] = {"block=64", "block=128", "block=256"};
  for (int i = 0; i < 64; ++i) batch.all.push_back(batch.owned.emplace_back(prepare(configs[i % 3])).get());
  const auto session = [&](bool keep_on) {
    CounterRequest request;
    request.keep_on = keep_on;
    const auto begin = Clock::now();
    CounterProfile taken = profile(batch.all, request);
    return std::pair(std::move(taken), std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  };
  const auto [first, first_ms] = session(false);
  if (refused(first)) GTEST_SKIP() << sentence_of(first.access);
  const auto [alone, alone_ms] = session(false);
  const double leading_ms = session(true).second;
  const auto [second, second_ms] = session(true);
  const auto [last, last_ms] = session(false);
  std::printf(
      "  64 configurations, %zu metrics: %.1f ms the first time; alone %.1f ms, %.2f each; three in a phase: %.1f, "
      "%.1f, %.1f ms, %.2f each\n",
      alone.entries.at(0)->readings.size(), first_ms, alone_ms, alone_ms / 64, leading_ms, second_ms, last_ms,
      (leading_ms + second_ms + last_ms) / (3 * 64));
  ASSERT_EQ(last.entries.size(), 64U);
  for (std::size_t i = 0; i < 64; ++i) {
    const double expected = first.entries.at(i)->value("smsp__inst_executed.sum").value_or(-1);
    EXPECT_GT(expected, 0);
    EXPECT_EQ(second.entries.at(i)->value("smsp__inst_executed.sum"), expected) << "of configuration " << i;
    EXPECT_EQ(last.entries.at(i)->value("smsp__inst_executed.sum"), expected) << "of configuration " << i;
  }
}

/// The lowest of some medians, each of many samples: what a change of state is told from.
TEST_F(GpuCounters, LeavesTimesAlone) {
  for (const std::int64_t elements : {std::int64_t{100'000}, std::int64_t{4'000'000}, 4 * kElements}) {
    open_add(elements);
    auto prepared = prepare("block=128");
    const auto typical_ns = [&] {
      std::vector<double> medians;
      for (int i = 0; i < 9; ++i) medians.push_back(median_ns(*prepared, 101));
      std::ranges::sort(medians);
      return medians[medians.size() / 2];
    };
    (void)typical_ns();
    const double before = typical_ns(), again = typical_ns();
    CounterRequest request;
    request.keep_on = true;
    const CounterProfile taken = profile({prepared.get()}, request);
    if (refused(taken)) GTEST_SKIP() << sentence_of(taken.access);
    const double idle = typical_ns();
    session->end_counting();
    const double after = typical_ns();
    const auto off = [&](double ns) { return 100 * (ns / before - 1); };
    std::printf("  %10.3f us; again %+.2f %%, profiler idle %+.2f %%, after it %+.2f %%\n", before / 1e3, off(again),
                off(idle), off(after));
    EXPECT_NEAR(after / before, 1, 0.05) << "the profiler must be off again";
  }
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
