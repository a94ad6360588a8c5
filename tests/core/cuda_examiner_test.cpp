// SPDX-License-Identifier: Apache-2.0
// The whole verification over the fake driver: the wrong kernels of cuda_wrong_kernels.hpp without a GPU, and what only
// a fake can do on command.
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include <kerntune/core/compile.hpp>

#include "cuda/toolkit.hpp"
#include "cuda_fake_fixture.hpp"
#include "cuda_wrong_kernels.hpp"
#include "engine/examiner.hpp"
#include "measure/compare.hpp"

namespace kerntune::cuda {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Sum {
  explicit Sum(const FakeLaunch& launch)
      : a(launch.argument<float*>(0)),
        b(launch.argument<float*>(1)),
        c(launch.argument<float*>(2)),
        n(launch.argument<int>(3)) {}
  void write(int first, int last) const {
    for (int i = first; i < last; ++i) c[i] = a[i] + b[i];
  }
  float *a, *b, *c;
  int n;
};

using Body = std::function<void(const Sum&)>;

class ExaminerTest : public FakeDeviceTest {
 protected:
  ExaminerTest() { kernel = testkernels::kernel_of(testkernels::wrong_spec()); }

  void kernel_does(Body body) {
    driver.kernels["add"].body = [body = std::move(body)](const FakeLaunch& launch) {
      body(Sum(launch));
      return CUDA_SUCCESS;
    };
  }
  tl::expected<Verification, Rejection> examine(const std::string& config = "block=128,bug=right") {
    open(testkernels::kWrongBatch);
    const search::Config values = testkernels::config_of(kernel, config);
    CompiledModule module = module_of();
    module.entries.clear();
    module.entries["add<" + config.substr(config.rfind('=') + 1) + ">"] = {"add", 32, 0, 16, 8, 0, 0};
    const std::vector<CompiledModule> modules{module};
    auto prepared = session_->prepare(values, modules);
    if (!prepared) return tl::unexpected(prepared.error());
    if (auto timed = session_->time(**prepared, 1, 3); !timed) return tl::unexpected(timed.error());
    runs_ = 0;
    examiner_.emplace(device(), kernel.plugin.get(), testkernels::request_for(kernel, testkernels::kWrongBatch));
    return examiner_->full({*session_, **prepared, values, modules, {}});
  }
  std::string verdict() {
    const auto result = examine();
    return result ? "it passed" : std::string(name_of(result.error().reason)) + ": " + result.error().message;
  }

  /// True in every second verifying run: the disturbed one.
  bool is_second_run() { return ++runs_ % 2 == 0; }

  int runs_ = 0;
  std::optional<Examiner> examiner_;
};

TEST_F(ExaminerTest, LooksAtEverySeedAndEdgeSizeTwice) {
  kernel_does([](const Sum& sum) { sum.write(0, sum.n); });
  const auto result = examine();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->seeds.size(), 3u);
  EXPECT_THAT(result->sizes, testing::ElementsAre("batch=1024", "batch=1", "batch=129", "batch=1023"));
  EXPECT_EQ(result->runs, 2u * (3 + 3));
  EXPECT_TRUE(result->complete);
  EXPECT_TRUE(result->deterministic);
  EXPECT_GT(examiner_->seconds(), 0);
}

TEST_F(ExaminerTest, DisturbsTheSecondRun) {
  kernel_does([](const Sum& sum) { sum.write(0, sum.n); });
  ASSERT_TRUE(examine());
  EXPECT_EQ(std::ranges::count(driver.log, "launch kerntune_disturb"), 3 + 3);
}

std::map<std::string, Body> wrong_bodies() {
  const auto right_then = [](Body more) {
    return [more](const Sum& sum) {
      sum.write(0, sum.n);
      more(sum);
    };
  };
  auto kept = std::make_shared<std::vector<float>>();
  return {
      {"does_nothing", [](const Sum&) {}},
      {"writes_part", [](const Sum& sum) { sum.write(0, sum.n / 2); }},
      {"past_the_end", right_then([](const Sum& sum) { sum.c[sum.n] = 1; })},
      {"one_seed", right_then([](const Sum& sum) { sum.c[0] += sum.n > 2 && sum.a[2] > 0.5f ? 1 : 0; })},
      {"caches", right_then([kept](const Sum& sum) {
         if (kept->size() != static_cast<std::size_t>(sum.n)) kept->assign(sum.c, sum.c + sum.n);
         std::copy(kept->begin(), kept->end(), sum.c);
       })},
      {"mutates_input", right_then([](const Sum& sum) { sum.a[10 % sum.n] = 5; })},
      {"one_nan", right_then([](const Sum& sum) { sum.c[sum.n - 1] = std::numeric_limits<float>::quiet_NaN(); })},
      {"one_infinity", right_then([](const Sum& sum) { sum.c[0] = std::numeric_limits<float>::infinity(); })},
      {"tuned_size", right_then([](const Sum& sum) {
         if (sum.n >= 1024) sum.c[1] = 0;
       })},
      {"ragged_edge", [](const Sum& sum) { sum.write(0, sum.n / 128 * 128); }},
  };
}

TEST_F(ExaminerTest, RejectsEveryWrongKernel) {
  const auto bodies = wrong_bodies();
  for (const testkernels::WrongKernel& wrong : testkernels::kWrongKernels) {
    SCOPED_TRACE(wrong.bug);
    kernel_does(bodies.at(wrong.bug));
    EXPECT_THAT(verdict(), StartsWith(wrong.verdict));
  }
}

TEST_F(ExaminerTest, CatchesWhatOnlyTheSecondRunShows) {
  kernel_does([this](const Sum& sum) {
    sum.write(0, sum.n);
    if (is_second_run()) sum.c[7 % sum.n] = 100;
  });
  EXPECT_THAT(verdict(), testing::AllOf(StartsWith("wrong_result: a second run with the same inputs"),
                                        HasSubstr("c[7]: got 100"), HasSubstr("threads race")));
}

TEST_F(ExaminerTest, FlagsOtherBitsWithinTheTolerance) {
  kernel_does([this](const Sum& sum) {
    sum.write(0, sum.n);
    if (is_second_run()) sum.c[7 % sum.n] = std::nextafter(sum.c[7 % sum.n], 10.0f);
  });
  const auto result = examine();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->deterministic);
  EXPECT_GT(result->rel_l2_error, 0);
  EXPECT_EQ(result->worst.buffer, "c");
}

TEST_F(ExaminerTest, SeesAnElementThatOnlyTheSecondRunLeavesUnwritten) {
  kernel_does([this](const Sum& sum) {
    const float before = sum.c[3 % sum.n];
    sum.write(0, sum.n);
    if (is_second_run()) sum.c[3 % sum.n] = before;
  });
  EXPECT_THAT(verdict(), testing::AllOf(StartsWith("unwritten_output: a second run"), HasSubstr("the first is c[3]")));
}

TEST_F(ExaminerTest, RemembersWhatPassed) {
  kernel_does([](const Sum& sum) { sum.write(0, sum.n); });
  open(testkernels::kWrongBatch);
  const search::Config values = testkernels::config_of(kernel, "block=128,bug=right");
  CompiledModule module = module_of("digest", "add<right>");
  module.entries["add<right>"].lowered_name = "add";
  const std::vector<CompiledModule> modules{module};
  auto prepared = session_->prepare(values, modules);
  ASSERT_TRUE(prepared);
  Examiner examiner(device(), kernel.plugin.get(), testkernels::request_for(kernel, testkernels::kWrongBatch));
  ASSERT_TRUE(examiner.full({*session_, **prepared, values, modules, {}}));
  const auto launched = std::ranges::count(driver.log, "launch add");
  ASSERT_TRUE(examiner.full({*session_, **prepared, values, modules, {}}));
  EXPECT_EQ(std::ranges::count(driver.log, "launch add"), launched);
}

TEST_F(ExaminerTest, IsNotCompleteWithoutTheCodeOfAnEdge) {
  std::string json =
      testkernels::add_spec(testkernels::kAddParams, testkernels::kAddSteps, "", R"(, "reference": {"host": true})");
  json.replace(json.find("\"file\""), 0,
               R"json("defines": [{"name": "ITEMS", "value": "ceil_div(batch, block)"}], )json");
  kernel = testkernels::kernel_of(json);
  kernel_does([](const Sum& sum) { sum.write(0, sum.n); });
  open(testkernels::kWrongBatch);
  const search::Config values = testkernels::config_of(kernel, "block=64");
  const std::vector<CompiledModule> modules{module_of()};
  auto prepared = session_->prepare(values, modules);
  ASSERT_TRUE(prepared) << prepared.error().message;
  const SessionRequest tuned = testkernels::request_for(kernel, testkernels::kWrongBatch);
  const auto without =
      Examiner(device(), kernel.plugin.get(), tuned).full({*session_, **prepared, values, modules, {}});
  ASSERT_TRUE(without) << without.error().message;
  EXPECT_FALSE(without->complete);
  std::vector<EdgeCode> code;
  for (const std::int64_t batch : {1, 129, 1023}) code.push_back({{{"batch", batch}}, modules, {}, {}});
  const auto with = Examiner(device(), kernel.plugin.get(), tuned).full({*session_, **prepared, values, modules, code});
  ASSERT_TRUE(with) << with.error().message;
  EXPECT_TRUE(with->complete);
  EXPECT_THAT(with->sizes, testing::Contains("batch=129"));
}

TEST(WrongKernels, Compile) {
  std::string why_not;
  if (nvrtc::version(&why_not).empty()) GTEST_SKIP() << why_not;
  const auto kernel = testkernels::kernel_of(testkernels::wrong_spec());
  DeviceInfo device;
  device.arch = "sm_90";
  for (const char* bug : {"right", "unsteady", "does_nothing", "writes_part", "past_the_end", "one_seed", "caches",
                          "mutates_input", "one_nan", "one_infinity", "tuned_size", "ragged_edge", "race"}) {
    const auto compiled = testkernels::compile(kernel, std::string("block=128,bug=") + bug,
                                               {{"batch", testkernels::kWrongBatch}}, device);
    EXPECT_TRUE(compiled) << bug << ": " << compiled.error().message;
  }
}

}  // namespace
}  // namespace kerntune::cuda
