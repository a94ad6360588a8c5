// SPDX-License-Identifier: Apache-2.0
#include "cupti/pass_planner.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <kerntune/core/errors.hpp>

#include "cupti/metric_sets.hpp"

namespace kerntune::cupti {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

PlanRequest wish(const std::string& chip, const std::vector<std::string>& metrics, std::size_t max_passes = 1) {
  PlanRequest request;
  request.chip = chip;
  request.wishes = metrics;
  request.max_passes = max_passes;
  return request;
}

class PassPlanner : public ::testing::Test {
 protected:
  void SetUp() override {
    NoCupti why_not;
    api_ = cupti_api(&why_not);
    if (api_ == nullptr) GTEST_SKIP() << why_not.reason;
  }
  Plan plan(const std::string& chip, const MetricSet& set, std::size_t max_passes) const {
    return plan_passes(*api_, wish(chip, set.metrics, max_passes));
  }
  const CuptiApi* api_ = nullptr;
};

TEST(CuptiLibrary, IsOfTheToolkitThatIsAskedFor) {
  const char* home = std::getenv("CUDA_HOME");
  if (std::getenv("KERNTUNE_TEST_TOOLKIT") == nullptr ||
      home == nullptr)  // set where a skip would hide that it is not used
    GTEST_SKIP() << "KERNTUNE_TEST_TOOLKIT asks for none";
  NoCupti why_not;
  const CuptiApi* api = cupti_api(&why_not);
  ASSERT_NE(api, nullptr) << why_not.reason;
  EXPECT_THAT(api->version, testing::StartsWith(std::getenv("KERNTUNE_TEST_TOOLKIT")));
  EXPECT_EQ(std::filesystem::path(api->path).parent_path(), std::filesystem::canonical(std::string(home) + "/lib64"));
  // CUPTI opens its library of chips by itself: that of another release would plan for other chips.
  (void)plan_passes(*api, wish("GV100", {"gpu__time_duration.sum"}));
  std::ifstream maps("/proc/self/maps");
  std::set<std::string> folders;
  for (std::string line; std::getline(maps, line);)
    if (line.find("libnvperf_host.so") != std::string::npos)
      folders.insert(std::filesystem::path(line.substr(line.find('/'))).parent_path().string());
  EXPECT_THAT(folders, testing::ElementsAre(std::filesystem::canonical(std::string(home) + "/lib64").string()));
}

TEST(CuptiLibrary, NamesItsRelease) {
  EXPECT_EQ(version_text(130001), "13.0.1");
  EXPECT_EQ(version_text(28), "12.9.1");
  EXPECT_EQ(version_text(18), "API 18");
}

struct Golden {
  const char* chip;
  const char* set;
  std::size_t metrics;  // of the set, what one pass holds
  std::size_t missing, dropped;
  std::size_t all_passes;  // for the whole set
  std::size_t deep_passes;
  int since = 12;  // the first toolkit whose CUPTI knows the chip; the figures are the same in 12.9 and 13.0
};

std::ostream& operator<<(std::ostream& out, const Golden& golden) { return out << golden.chip; }

class PassPlannerGolden : public PassPlanner, public ::testing::WithParamInterface<Golden> {};

TEST_P(PassPlannerGolden, FitsTheStandardSet) {
  const Golden& golden = GetParam();
  if (const int toolkit = std::atoi(api_->version.c_str()); toolkit != 0 && toolkit < golden.since) {
    EXPECT_THAT(supported_chips(*api_), testing::Not(Contains(golden.chip)));
    return;
  }
  const MetricSet& set = standard_set(golden.chip);
  EXPECT_EQ(set.name, golden.set);
  const Plan one = plan(golden.chip, set, 1);
  EXPECT_EQ(one.passes, 1U);
  EXPECT_THAT(one.metrics, SizeIs(golden.metrics));
  EXPECT_THAT(one.missing, SizeIs(golden.missing));
  EXPECT_THAT(one.dropped, SizeIs(golden.dropped));
  EXPECT_FALSE(one.image.empty());
  EXPECT_EQ(one.metrics.front().counted_as, "gpu__time_duration.sum");
  EXPECT_EQ(plan(golden.chip, set, 0).passes, golden.all_passes);
  EXPECT_EQ(plan(golden.chip, *find_set("deep"), 0).passes, golden.deep_passes);
}

INSTANTIATE_TEST_SUITE_P(
    Chips, PassPlannerGolden,
    ::testing::Values(Golden{"GV100", "core", 13, 0, 0, 1, 4}, Golden{"TU102", "core", 13, 0, 0, 1, 4},
                      Golden{"GA100", "wide", 21, 0, 0, 1, 4}, Golden{"GA102", "compact", 16, 0, 0, 1, 4},
                      Golden{"AD102", "compact", 16, 0, 0, 1, 4}, Golden{"GH100", "wide", 21, 0, 0, 1, 4},
                      Golden{"GB100", "wide", 21, 0, 0, 1, 4}, Golden{"GB110", "wide", 21, 0, 0, 1, 4, 13},
                      Golden{"GB202", "compact", 16, 0, 0, 1, 4}),
    [](const auto& chosen) { return chosen.param.chip; });

TEST_F(PassPlanner, UsesAChipsOwnName) {
  const Plan made = plan("GB202", standard_set("GB202"), 1);
  const auto read = std::find_if(made.metrics.begin(), made.metrics.end(),
                                 [](const PlannedMetric& m) { return m.wished == "dram__bytes_read.sum"; });
  ASSERT_NE(read, made.metrics.end());
  EXPECT_EQ(read->counted_as, "dram__bytes_op_read.sum");
  EXPECT_EQ(read->unit, "byte");
}

TEST_F(PassPlanner, SaysWhatAChipLacks) {
  const Plan made = plan("GB20B", standard_set("GB20B"), 1);
  EXPECT_THAT(made.missing, Contains("dram__bytes_read.sum"));
}

TEST_F(PassPlanner, DropsTheLeastImportantToFit) {
  const Plan made = plan("GH100", *find_set("deep"), 1);
  EXPECT_EQ(made.passes, 1U);
  EXPECT_FALSE(made.dropped.empty());
  EXPECT_EQ(made.metrics.front().wished, find_set("deep")->metrics.front());
  EXPECT_EQ(made.metrics.size() + made.dropped.size() + made.missing.size(), find_set("deep")->metrics.size());
}

TEST_F(PassPlanner, PlansTheSameTwice) {
  const Plan a = plan("GH100", standard_set("GH100"), 1), b = plan("GH100", standard_set("GH100"), 1);
  EXPECT_EQ(a.image, b.image);
}

TEST_F(PassPlanner, RefusesAnUnknownMetricWithTheNearestNames) {
  try {
    plan_passes(*api_, wish("GH100", {"dram__byte_read.sum"}));
    FAIL() << "it was accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no metric 'dram__byte_read.sum'; the nearest names are dram__bytes_read"));
  }
}

TEST_F(PassPlanner, RefusesAChipThatItDoesNotKnow) {
  try {
    plan_passes(*api_, wish("GX999", {"gpu__time_duration.sum"}));
    FAIL() << "it was accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not know it; it knows "));
    EXPECT_THAT(error.what(), HasSubstr("GH100"));
  }
}

TEST_F(PassPlanner, MissesNothingThatIsAskedForStrictly) {
  PlanRequest request = wish("GB20B", {"dram__bytes_read.sum"});
  request.strict = true;
  EXPECT_THROW(plan_passes(*api_, request), UsageError);
}

TEST(MetricSets, HaveNoMetricTwiceAndNoThroughputs) {
  for (const MetricSet& set : all_sets()) {
    std::vector<std::string> names = set.metrics;
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << set.name;
    for (const std::string& name : names) EXPECT_EQ(name.find("__throughput"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace kerntune::cupti
