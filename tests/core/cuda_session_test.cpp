// SPDX-License-Identifier: Apache-2.0
// Preparing and timing over the fake driver.
#include <fmt/format.h>

#include <cstring>

#include "cuda_fake_fixture.hpp"

namespace kerntune::cuda {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> last(const std::vector<std::string>& log, std::size_t count) {
  return {log.end() - static_cast<std::ptrdiff_t>(std::min(count, log.size())), log.end()};
}

constexpr MeasurePolicy kWarm{MeasurePolicy::L2::warm, MeasurePolicy::Mode::eager};
constexpr MeasurePolicy kGraph{MeasurePolicy::L2::cold, MeasurePolicy::Mode::graph};

TEST_F(FakeDeviceTest, TimesColdLaunchesBehindABlocker) {
  open();
  auto prepared = prepare();
  ASSERT_TRUE(session_->time(*prepared, 0, 1));
  const auto samples = session_->time(*prepared, 0, 2);
  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_THAT(samples->samples_ns, ElementsAre(DoubleNear(30'000, 0.1), DoubleNear(30'000, 0.1)));
  // Twice the L2 of 4096 bytes is flushed before each sample, outside its events; nothing waits between.
  EXPECT_THAT(last(driver.log, 14),
              ElementsAre("launch kerntune_block", "launch kerntune_stamp", "event", "memset 8192", "event",
                          "launch add", "event", "memset 8192", "event", "launch add", "event", "launch kerntune_stamp",
                          "event", "synchronize"));
}

TEST_F(FakeDeviceTest, TimesWarmLaunchesWithoutFlush) {
  open(1000, kWarm);
  auto prepared = prepare();
  ASSERT_TRUE(session_->time(*prepared, 0, 1));
  EXPECT_THAT(last(driver.log, 9), ElementsAre("launch kerntune_block", "launch kerntune_stamp", "event", "event",
                                               "launch add", "event", "launch kerntune_stamp", "event", "synchronize"));
}

TEST_F(FakeDeviceTest, ExcludesTheFirstLaunch) {
  open(request_with_runs(1, kWarm));
  auto prepared = prepare();
  const auto begin = driver.log.size();
  ASSERT_TRUE(session_->time(*prepared, 0, 1));
  const std::vector<std::string> log(driver.log.begin() + static_cast<std::ptrdiff_t>(begin), driver.log.end());
  EXPECT_EQ(std::ranges::count(log, "launch add"), 2);
  EXPECT_LT(std::ranges::find(log, "launch add"), std::ranges::find(log, "launch kerntune_block"));
}

TEST_F(FakeDeviceTest, WarmsUpAsAsked) {
  open(request_with_runs(1, kWarm));
  auto prepared = prepare();
  const auto before = std::ranges::count(driver.log, "launch add");
  ASSERT_TRUE(session_->time(*prepared, 5, 3));
  EXPECT_EQ(std::ranges::count(driver.log, "launch add") - before, 8);
}

TEST_F(FakeDeviceTest, TimesAGraphThatIsCapturedOnce) {
  open(request_with_runs(1, kGraph));
  const auto instantiated = std::ranges::count(driver.log, "instantiate");  // by the calibration
  auto prepared = prepare();
  ASSERT_TRUE(session_->time(*prepared, 0, 2));
  const auto samples = session_->time(*prepared, 0, 1);
  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_THAT(samples->samples_ns, ElementsAre(DoubleNear(30'000, 0.1)));
  EXPECT_THAT(last(driver.log, 11),
              ElementsAre("launch kerntune_block", "launch kerntune_stamp", "event", "memset 8192", "event", "graph",
                          "launch add", "event", "launch kerntune_stamp", "event", "synchronize"));
  EXPECT_EQ(std::ranges::count(driver.log, "instantiate") - instantiated, 1);
  prepared.reset();
  EXPECT_EQ(driver.live_graphs, 0u);
}

TEST_F(FakeDeviceTest, QueuesFewSamplesAtATime) {
  open(request_with_runs(1, kWarm));
  auto prepared = prepare();
  const auto before = std::ranges::count(driver.log, "launch kerntune_block");
  const auto samples = session_->time(*prepared, 1, 200);
  ASSERT_TRUE(samples);
  EXPECT_EQ(samples->samples_ns.size(), 200u);
  EXPECT_EQ(std::ranges::count(driver.log, "launch kerntune_block") - before, 50);  // of three operations each
}

TEST_F(FakeDeviceTest, ADurationOfZeroIsAnError) {
  driver.kernels["add"].duration_ns = 0;
  open();
  auto prepared = prepare();
  const auto samples = session_->time(*prepared, 0, 1);
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().reason, Reason::internal_error);
  EXPECT_THAT(samples.error().message, HasSubstr("0 ns apart"));
}

TEST_F(FakeDeviceTest, ABlockerThatGivesUpIsAnError) {
  open();
  auto prepared = prepare();
  driver.blocker_gives_up = true;
  const auto samples = session_->time(*prepared, 0, 1);
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().reason, Reason::launch_error);
  EXPECT_THAT(samples.error().message, HasSubstr("synchronises"));
}

TEST_F(FakeDeviceTest, ReportsFacts) {
  driver.kernels["add"].regs = 40;
  driver.kernels["add"].static_shared = 1024;
  open();
  auto prepared = prepare("block=128");
  const Facts& facts = prepared->facts();
  EXPECT_EQ(facts.at("regs"), 40);
  EXPECT_EQ(facts.at("spill_bytes"), 24);
  EXPECT_EQ(facts.at("static_shared_bytes"), 1024);
  EXPECT_EQ(facts.at("dynamic_shared_bytes"), 0);
  EXPECT_EQ(facts.at("threads_per_block"), 128);
  EXPECT_EQ(facts.at("blocks"), 8);
  EXPECT_EQ(facts.at("blocks_per_sm"), 4);
  EXPECT_EQ(facts.at("occupancy"), 0.25);
  EXPECT_EQ(facts.at("waves"), 1);
  EXPECT_NEAR(facts.at("timer_floor_ns"), 500, 0.01);
}

TEST_F(FakeDeviceTest, RejectsABlockThatIsTooLargeForTheKernel) {
  driver.kernels["add"].max_threads = 100;
  open();
  const Rejection rejection = rejected_prepare("block=128");
  EXPECT_EQ(rejection.reason, Reason::device_limit);
  EXPECT_THAT(rejection.message, HasSubstr("a block of 128 threads, this kernel can have 100"));
}

TEST_F(FakeDeviceTest, RejectsWhatFitsNoMultiprocessorBeforeLaunch) {
  driver.kernels["add"].blocks_per_sm = 0;
  open();
  const Rejection rejection = rejected_prepare();
  EXPECT_EQ(rejection.reason, Reason::device_limit);
  EXPECT_THAT(rejection.message, HasSubstr("no block fits a multiprocessor: 64 threads, 32 registers"));
  EXPECT_EQ(std::ranges::count(driver.log, "launch add"), 0);
}

TEST_F(FakeDeviceTest, RejectsArgumentsThatDoNotFitTheParameters) {
  driver.kernels["add"].parameter_bytes = {8, 8, 8, 8};
  open();
  const Rejection narrow = rejected_prepare();
  EXPECT_EQ(narrow.reason, Reason::launch_error);
  EXPECT_THAT(narrow.message, HasSubstr("parameter 4 of the kernel has 8 bytes, the spec's argument has 4"));
  driver.kernels["add"].parameter_bytes = {8, 8, 8};
  EXPECT_THAT(rejected_prepare().message, HasSubstr("the kernel has 3 parameters, the spec gives 4 arguments"));
  driver.kernels["add"].parameter_bytes = {8, 8, 8, 4, 4};
  EXPECT_THAT(rejected_prepare().message,
              HasSubstr("the kernel has a parameter 5 (4 bytes), the spec gives 4 arguments"));
}

TEST_F(FakeDeviceTest, SaysWhenAModuleHoldsNoSuchEntry) {
  open();
  const auto prepared = session_->prepare(kernel.program->default_config(), {module_of("other", "sub")});
  ASSERT_FALSE(prepared);
  EXPECT_THAT(prepared.error().message, HasSubstr("launches 'add', which none of its 1 compiled modules holds"));
}

TEST_F(FakeDeviceTest, RunsOutOfMemoryAsAValue) {
  driver.memory_limit = 4 << 20;
  open(1000);
  const auto opened = device().open(testkernels::request_for(kernel, 10'000'000), kernel.plugin.get());
  ASSERT_TRUE(opened);
  const auto prepared = (*opened)->prepare(kernel.program->default_config(), {module_of()});
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().reason, Reason::out_of_memory);
  EXPECT_THAT(prepared.error().message, HasSubstr("for buffer 'a'"));
  EXPECT_FALSE((*opened)->context_lost());
}

TEST_F(FakeDeviceTest, AFaultLosesTheContext) {
  driver.kernels["add"].body = [](const FakeLaunch&) { return CUDA_ERROR_ILLEGAL_ADDRESS; };
  open();
  auto prepared = prepare();
  const auto samples = session_->time(*prepared, 0, 1);
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().reason, Reason::fault);
  EXPECT_THAT(samples.error().message, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  EXPECT_TRUE(session_->context_lost());
  EXPECT_EQ(rejected_verify(*prepared).reason, Reason::fault);
  EXPECT_THAT(rejected_prepare().message, HasSubstr("only a new process helps"));
}

TEST_F(FakeDeviceTest, AFailedLaunchDoesNot) {
  driver.kernels["add"].body = [](const FakeLaunch&) { return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES; };
  open();
  auto prepared = prepare();
  const auto samples = session_->time(*prepared, 0, 1);
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().reason, Reason::device_limit);
  EXPECT_THAT(samples.error().message, HasSubstr("launch 'add'"));
  EXPECT_FALSE(session_->context_lost());
}

TEST_F(FakeDeviceTest, SetsEveryAttributeAnewForEachConfiguration) {
  kernel = testkernels::kernel_of(testkernels::add_spec(
      R"([{"name": "block", "values": [64, 128], "default": 64, "role": "block_x"},
          {"name": "carve", "values": [-1, 50], "default": -1, "role": "carveout"},
          {"name": "smem", "values": [0, 100000], "default": 0, "role": "dynamic_shared"}])",
      testkernels::kAddSteps, "", R"(, "reference": {"host": true})"));
  open();
  auto large = prepare("block=64,carve=50,smem=100000");
  auto plain = prepare("block=64,carve=-1,smem=0");
  ASSERT_TRUE(session_->time(*large, 0, 1));
  const auto& attributes = driver.function("add").attributes;
  EXPECT_EQ(attributes.at(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 100000);
  EXPECT_EQ(attributes.at(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT), 50);
  ASSERT_TRUE(session_->time(*plain, 0, 1));
  EXPECT_EQ(attributes.at(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 0);
  EXPECT_EQ(attributes.at(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT), -1);
  EXPECT_EQ(attributes.at(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED), 0);
  EXPECT_EQ(plain->facts().at("dynamic_shared_bytes"), 0);
}

TEST_F(FakeDeviceTest, RejectsMoreSharedMemoryThanTheDeviceHas) {
  kernel = testkernels::kernel_of(testkernels::add_spec(
      R"([{"name": "block", "values": [64], "default": 64, "role": "block_x"},
          {"name": "smem", "values": [0, 232000], "default": 0, "role": "dynamic_shared"}])",
      testkernels::kAddSteps, "", R"(, "reference": {"host": true})"));
  driver.kernels["add"].static_shared = 1024;
  open();
  const Rejection rejection = rejected_prepare("block=64,smem=232000");
  EXPECT_EQ(rejection.reason, Reason::device_limit);
  EXPECT_THAT(rejection.message,
              HasSubstr("233024 bytes of shared memory (1024 static, 232000 dynamic), the device has 232448"));
}

TEST_F(FakeDeviceTest, LaunchesClustersAndCooperativeGrids) {
  kernel = testkernels::kernel_of(testkernels::add_spec(
      R"([{"name": "block", "values": [64], "default": 64, "role": "block_x"},
          {"name": "cluster", "values": [1, 2, 16], "default": 1, "role": "cluster_x"},
          {"name": "coop", "values": [false, true], "default": false, "role": "cooperative"}])",
      testkernels::kAddSteps, "", R"(, "reference": {"host": true})"));
  open(1024);
  auto prepared = prepare("block=64,cluster=16,coop=false");
  ASSERT_TRUE(session_->time(*prepared, 0, 1));
  EXPECT_THAT(driver.log, testing::Contains(fmt::format("launch attribute {}",
                                                        static_cast<int>(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION))));
  EXPECT_EQ(driver.function("add").attributes.at(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED), 1);
  const Rejection too_large = rejected_prepare("block=64,cluster=1,coop=true");
  EXPECT_EQ(too_large.reason, Reason::device_limit);
  EXPECT_THAT(too_large.message, HasSubstr("a cooperative grid of 16 blocks, 8 fit the device at once"));
}

TEST_F(FakeDeviceTest, SettlesGeometryThatReadsBlocksPerSm) {
  kernel = testkernels::kernel_of(testkernels::add_spec(
      testkernels::kAddParams, R"([{"kind": "launch", "entry": "add", "grid": ["sm_count * blocks_per_sm"],
        "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i32", "value": "batch"}]}])",
      "", R"(, "reference": {"host": true})"));
  driver.kernels["add"].blocks_per_sm = 7;
  open();
  EXPECT_EQ(prepare()->facts().at("blocks"), 14);
}

TEST_F(FakeDeviceTest, KeepsFewModulesLoaded) {
  open();
  for (int i = 0; i < 40; ++i) prepare("block=64", module_of("digest " + std::to_string(i)));
  EXPECT_LE(driver.most_loaded_modules, 18u);  // 16 kept, the engine's, and the next one
  const std::size_t loads = driver.module_loads;
  prepare("block=128", module_of("digest 39"));
  EXPECT_EQ(driver.module_loads, loads) << "a module that is loaded was loaded again";
}

TEST_F(FakeDeviceTest, SharesBuffersBetweenConfigurations) {
  open();
  auto first = prepare("block=64");
  const std::uint64_t bytes = driver.allocated_bytes();
  auto second = prepare("block=128");
  EXPECT_EQ(driver.allocated_bytes(), bytes);
}

TEST_F(FakeDeviceTest, TimesTheSameInputsWhateverWasVerified) {
  std::vector<float> seen;
  driver.kernels["add"].body = [&, add = add_body()](const FakeLaunch& launch) {
    seen.push_back(launch.argument<float*>(0)[0]);
    return add(launch);
  };
  open(request_with_runs(1));
  auto prepared = prepare();
  ASSERT_TRUE(session_->time(*prepared, 0, 1));
  ASSERT_TRUE(session_->verify(*prepared, 77));
  ASSERT_TRUE(session_->time(*prepared, 0, 1));
  ASSERT_EQ(seen.size(), 5u);  // warm-up, sample, two of the verification, sample
  EXPECT_EQ(seen[4], seen[1]);
  EXPECT_NE(seen[2], seen[1]);
}

TEST_F(FakeDeviceTest, ResetsInOutBuffersBeforeEachRun) {
  kernel = testkernels::kernel_of(testkernels::add_spec(
      testkernels::kAddParams,
      R"([{"kind": "launch", "entry": "inc", "grid": [1], "args": [{"buffer": "x"}, {"buffer": "b"}]}])", "",
      R"(, "reference": {"host": true}, "tolerances": [], "buffers": [{"name": "x", "dtype": "f32", "count": "batch", "role": "inout"},
                        {"name": "b", "dtype": "f32", "count": "batch", "role": "in"}])"));
  std::vector<float> seen;
  driver.kernels["inc"] = {[&](const FakeLaunch& launch) {
                             seen.push_back(launch.argument<float*>(0)[0]);
                             for (int i = 0; i < 1000; ++i)
                               launch.argument<float*>(0)[i] += launch.argument<float*>(1)[i];
                             return CUDA_SUCCESS;
                           },
                           {8, 8}};
  open();
  auto prepared = prepare("block=64", module_of("d", "inc"));
  ASSERT_TRUE(session_->time(*prepared, 0, 3));
  EXPECT_THAT(seen, testing::Each(seen.front()));
  const auto verified = session_->verify(*prepared, 1);
  EXPECT_TRUE(verified) << verified.error().message;
}

TEST_F(FakeDeviceTest, CopiesConstantSymbols) {
  kernel = testkernels::kernel_of(testkernels::add_spec(testkernels::kAddParams, testkernels::kAddSteps, "",
                                                        R"(, "reference": {"host": true}, "symbols": [
        {"symbol": "factor", "scalar": "f32", "value": "2.5"}, {"symbol": "table", "buffer": "b", "offset": "1"}])"));
  driver.globals["factor"] = std::vector<unsigned char>(4);
  driver.globals["table"] = std::vector<unsigned char>(4000);
  open();
  auto prepared = prepare();
  ASSERT_TRUE(session_->verify(*prepared, 1));
  float factor = 0;
  std::memcpy(&factor, driver.globals["factor"].data(), 4);
  EXPECT_EQ(factor, 2.5f);
  driver.globals["factor"].resize(2);
  EXPECT_THAT(rejected_prepare().message, HasSubstr("set symbol 'factor': the value has 4 bytes, the symbol 2"));
}

}  // namespace
}  // namespace kerntune::cuda
