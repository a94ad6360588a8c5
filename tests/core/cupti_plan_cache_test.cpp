// SPDX-License-Identifier: Apache-2.0
#include "cupti/plan_cache.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace kerntune::cupti {
namespace {

Plan sample_plan() {
  Plan plan;
  plan.chip = "GH100";
  plan.metrics = {{"a.sum", "a.sum", "byte"}, {"b.sum", "c.sum", ""}};
  plan.missing = {"d.sum"};
  plan.dropped = {"e.sum", "f.sum"};
  plan.passes = 3;
  plan.image = {0, 255, 7, 0};
  return plan;
}

TEST(PlanFile, ComesBackAsItWas) {
  const auto plan = decode_plan(encode_plan(sample_plan()));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->chip, "GH100");
  ASSERT_EQ(plan->metrics.size(), 2U);
  EXPECT_EQ(plan->metrics[1].counted_as, "c.sum");
  EXPECT_EQ(plan->missing, sample_plan().missing);
  EXPECT_EQ(plan->dropped, sample_plan().dropped);
  EXPECT_EQ(plan->passes, 3U);
  EXPECT_EQ(plan->image, sample_plan().image);
}

TEST(PlanFile, IsRefusedWithAnyByteChangedOrMissing) {
  const std::string whole = encode_plan(sample_plan());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(decode_plan(damaged)) << i;
    EXPECT_FALSE(decode_plan(std::string_view(whole).substr(0, i))) << i;
  }
  EXPECT_FALSE(decode_plan(whole + " "));
}

TEST(PlanKey, ChangesWithEverythingThatAPlanDependsOn) {
  CuptiApi api;
  api.version = "13.0.1";
  PlanRequest request;
  request.chip = "GH100";
  request.wishes = {"a.sum", "b.sum"};
  const std::string key = plan_key(api, request);
  const auto changed = [&](auto change) {
    CuptiApi other_api = api;
    PlanRequest other = request;
    change(other_api, other);
    return plan_key(other_api, other);
  };
  EXPECT_EQ(key, changed([](CuptiApi&, PlanRequest&) {}));
  EXPECT_NE(key, changed([](CuptiApi& a, PlanRequest&) { a.version = "13.1.0"; }));
  EXPECT_NE(key, changed([](CuptiApi&, PlanRequest& r) { r.chip = "GB100"; }));
  EXPECT_NE(key, changed([](CuptiApi&, PlanRequest& r) { r.wishes = {"b.sum", "a.sum"}; }));
  EXPECT_NE(key, changed([](CuptiApi&, PlanRequest& r) { r.max_passes = 2; }));
  EXPECT_NE(key, changed([](CuptiApi&, PlanRequest& r) { r.availability = {1}; }));
  EXPECT_NE(key, changed([](CuptiApi&, PlanRequest& r) { r.strict = true; }));
}

TEST(PlanCache, KeepsPlansAndMakesDamagedOnesAnew) {
  NoCupti why_not;
  const CuptiApi* api = cupti_api(&why_not);
  if (api == nullptr) GTEST_SKIP() << why_not.reason;
  const auto folder = std::filesystem::path(::testing::TempDir()) / "kerntune-plans";
  std::filesystem::remove_all(folder);
  PlanRequest request;
  request.chip = "GH100";
  request.wishes = {"gpu__time_duration.sum", "dram__bytes_read.sum"};
  const Plan made = cached_plan(*api, request, folder.string());
  const auto file = folder / (plan_key(*api, request) + ".plan");
  ASSERT_TRUE(std::filesystem::exists(file));
  std::ofstream(file, std::ios::trunc) << "not a plan";
  EXPECT_EQ(cached_plan(*api, request, folder.string()).image, made.image);
  std::ifstream kept(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(kept)), {});
  EXPECT_TRUE(decode_plan(bytes)) << "the damaged file was replaced";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kerntune::cupti
