// SPDX-License-Identifier: Apache-2.0
// What a device can do to a run: device workers on the fake driver, with a compiler that compiles nothing.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <kerntune/core/tuner.hpp>
#include <kerntune/core/worker.hpp>
#include <kerntune/storage/result_store.hpp>

#include "cuda/cuda_device_impl.hpp"
#include "cuda_fake_driver.hpp"
#include "cuda_test_kernels.hpp"
#include "run_tune.hpp"
#include "temp_dir.hpp"

namespace kerntune {
namespace {

using test::run;

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// What the fake GPU does with blocks of this many threads.
// 64 threads are fine, 128 are faster.
constexpr unsigned kIllegalAddress = 192, kTooManyResources = 256, kNeverEnds = 320, kMemoryErrorOnce = 384,
                   kUnplugged = 448;

std::string flag_path(const char* name) { return std::string(std::getenv("KERNTUNE_TEST_FOLDER")) + "/" + name; }

bool flag(const char* name, bool raise) {
  const std::string path = flag_path(name);
  const bool was_raised = std::filesystem::exists(path);
  if (raise) std::ofstream(path) << "raised\n";
  return was_raised;
}

CUresult add(const cuda::FakeLaunch& launch) {
  switch (launch.block[0]) {
    case kIllegalAddress:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case kTooManyResources:
      return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    case kNeverEnds:
      for (;;) ::pause();
    case kMemoryErrorOnce:
      if (!flag("memory_error", true)) {
        std::filesystem::remove(flag_path("shared"));  // who was there went down, too
        return CUDA_ERROR_ECC_UNCORRECTABLE;
      }
      break;
    case kUnplugged:
      flag("unplugged", true);
      return CUDA_ERROR_DEVICE_UNAVAILABLE;
    default:
      break;
  }
  for (int i = 0; i < launch.argument<int>(3); ++i)
    launch.argument<float*>(2)[i] = launch.argument<float*>(0)[i] + launch.argument<float*>(1)[i];
  return CUDA_SUCCESS;
}

CompiledModule engine_module(const std::string&) {
  CompiledModule module;
  module.key = module.cubin_digest = module.cubin = "engine";
  return module;
}

/// Somebody else is on the GPU where there is a file "shared".
int processes(void*, unsigned* count, cuda::NvmlProcess* list) {
  list[0] = {static_cast<unsigned>(::getpid()), 1 << 20, 0, 0};
  list[1] = {4711, 512 << 20, 0, 0};
  return *count = flag("shared", false) ? 2 : 1, 0;
}

/// Too hot where there is a file "hot", at its power limit where there is a file "capped".
int clock_events(void*, unsigned long long* reasons) {
  *reasons = 0;
  if (flag("hot", false)) *reasons |= ClockEvents::hw_thermal_slowdown;
  if (flag("capped", false)) *reasons |= ClockEvents::sw_power_cap;
  return 0;
}

/// As many milliwatts as this process has asked for.
int power(void*, unsigned* mw) {
  static unsigned asked = 0;
  *mw = ++asked;
  return 0;
}

cuda::NvmlApi fake_nvml() {
  cuda::NvmlApi api;
  api.init = [] { return 0; };
  api.device_by_uuid = [](const char*, void**) { return 0; };
  api.compute_processes = processes;
  api.clock_events = clock_events;
  api.power = power;
  api.enforced_power_limit = [](void*, unsigned* mw) { return *mw = 700'000, 0; };
  return api;
}

std::unique_ptr<Device> open_fake(std::string_view) {
  static cuda::FakeDriver driver;
  static const cuda::NvmlApi nvml = fake_nvml();
  driver.kernels["add"] = {add, {8, 8, 8, 4}};
  if (flag("unplugged", false)) driver.init_result = CUDA_ERROR_NO_DEVICE;
  return cuda::open_device(driver.api(), 0, engine_module, &nvml);
}

class FailingDevice : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("KERNTUNE_NVRTC", KERNTUNE_TEST_NVRTC, 1);
    ::setenv("KERNTUNE_CACHE_DIR", std::string(dir_ / "cache").c_str(), 1);
    ::setenv("KERNTUNE_TEST_FOLDER", dir_.path().c_str(), 1);
  }

  TuneRequest request(const std::string& blocks, const std::string& text = "") {
    const std::string path = dir_ / "add.json";
    std::ofstream(path) << testkernels::add_spec(
        R"([{"name": "block", "values": )" + blocks + R"(, "default": 64, "role": "block_x"}])", testkernels::kAddSteps,
        text);
    TuneRequest request;
    request.kernel = find_kernel(path, {});
    request.device = "cuda:0";
    request.batches = {1000, 2000};
    request.strategy = "exhaustive";
    request.store_path = dir_ / "kt.db";
    request.evaluation_timeout_s = 1.5;
    return request;
  }
  static Rejection rejection(const BatchResult& batch, unsigned block) {
    const std::string text = "block=" + std::to_string(block);
    const auto found = std::find_if(batch.trace.begin(), batch.trace.end(),
                                    [&](const EvaluationTrace& t) { return t.config_text == text; });
    return found == batch.trace.end() ? Rejection{Reason::internal_error, "not evaluated"}
                                      : found->rejection.value_or(Rejection{Reason::internal_error, "it has a time"});
  }

  static std::vector<std::string> moments(const BatchResult& batch) {
    std::vector<std::string> names;
    for (const GpuSnapshot& snapshot : batch.gpu_snapshots) names.push_back(snapshot.at);
    return names;
  }

  test::TempDir dir_;
};

TEST_F(FailingDevice, FaultsAndHangsAreTheConfigurationsOwn) {
  const TuneReport report = run(request("[64, 128, 192, 256, 320]"));
  for (const BatchResult& batch : report.batches) {
    EXPECT_EQ(rejection(batch, kIllegalAddress).reason, Reason::fault);
    EXPECT_THAT(rejection(batch, kIllegalAddress).message, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
    EXPECT_EQ(rejection(batch, kTooManyResources).reason, Reason::device_limit);
    EXPECT_EQ(rejection(batch, kNeverEnds).reason, Reason::timeout);
    EXPECT_EQ(batch.failed, 3);
    ASSERT_TRUE(batch.best) << batch.note;
  }
  EXPECT_EQ(report.stopped, "");
  EXPECT_EQ(report.worker_restarts, 4);
  RecordProperty("slowest_restart_ms", static_cast<int>(report.slowest_restart_s * 1000));
}

TEST_F(FailingDevice, WhatNoKernelCanDoNeverReachesTheCompiler) {
  const std::string notes = dir_ / "notes";
  const TuneReport report = run(request("[64, 1024, 1056, 2048]", "// KERNTUNE_BLOCK_THREADS noted " + notes));
  for (const BatchResult& batch : report.batches) {
    EXPECT_EQ(batch.pruned_static, 2);
    for (const unsigned block : {1056U, 2048U}) {
      EXPECT_EQ(rejection(batch, block).reason, Reason::device_limit);
      EXPECT_THAT(rejection(batch, block).message, HasSubstr("the device allows 1024"));
    }
  }
  std::stringstream text;
  text << std::ifstream(notes).rdbuf();
  for (const char* block : {"=64 ", "=1024 "}) EXPECT_THAT(text.str(), HasSubstr(block));
  for (const char* block : {"=1056 ", "=2048 "}) EXPECT_THAT(text.str(), Not(HasSubstr(block)));
}

TEST_F(FailingDevice, AWorkerThatWaitsForACompilerIsNotTakenForOneThatHangs) {
  TuneRequest wanted = request("[64]", "// sluggish");
  wanted.batches = {1000};
  wanted.evaluation_timeout_s = 1;
  const TuneReport report = run(wanted);
  EXPECT_TRUE(report.batches.at(0).best) << report.batches.at(0).note;
  EXPECT_EQ(report.worker_restarts, 0);
}

TEST_F(FailingDevice, AMemoryErrorIsNobodysFault) {
  const TuneReport report = run(request("[64, 384, 128]"));
  for (const BatchResult& batch : report.batches) EXPECT_EQ(batch.failed, 0);
  EXPECT_EQ(report.worker_restarts, 1);
  EXPECT_EQ(report.stopped, "");
  EXPECT_THAT(moments(report.batches.at(0)), ElementsAre("session", "restart", "search", "final"));
}

TEST_F(FailingDevice, AWorkersEndDoesNotForgetWhoUsedTheDevice) {
  std::ofstream(dir_ / "shared") << "raised\n";
  const TuneReport report = run(request("[64, 384, 128]"));
  EXPECT_EQ(report.worker_restarts, 1);
  EXPECT_THAT(report.batches.at(0).provisional, HasSubstr("pid 4711"));
  EXPECT_EQ(report.batches.at(1).provisional, "");
}

TEST_F(FailingDevice, TheGpuIsLookedAtOnlyBeforeTheFirstAndAfterTheLastSamples) {
  const TuneReport report = run(request("[64, 128]"));
  ASSERT_TRUE(report.device.board);
  EXPECT_EQ(report.device.board->power_limit_mw, 700'000);
  std::int64_t asked = 0;
  for (const BatchResult& batch : report.batches) {
    EXPECT_THAT(moments(batch), ElementsAre("session", "search", "final"));
    for (const GpuSnapshot& snapshot : batch.gpu_snapshots) EXPECT_EQ(snapshot.state.power_mw, ++asked);
  }
}

TEST_F(FailingDevice, AResultFromAHotGpuIsProvisionalUntilItIsCool) {
  std::ofstream(dir_ / "hot") << "raised\n";
  TuneRequest wanted = request("[64, 128]");
  wanted.budget.evaluations = 2;
  const TuneReport hot = run(wanted);
  EXPECT_EQ(hot.batches.at(0).provisional, "the GPU's clocks were held down by hw_thermal_slowdown");
  EXPECT_THAT(hot.warnings, Contains(HasSubstr("batch 1000: its times are provisional, because the GPU's clocks")));

  std::filesystem::remove(dir_ / "hot");
  const TuneReport cool = run(wanted);
  EXPECT_EQ(cool.batches.at(0).reused, 2);
  EXPECT_EQ(cool.batches.at(0).provisional, "");
  EXPECT_EQ(cool.warnings, std::vector<std::string>{});

  const TuneReport restored = run(wanted);
  EXPECT_EQ(restored.batches.at(0).provisional, "");
  EXPECT_EQ(restored.batches.at(0).gpu_snapshots, cool.batches.at(0).gpu_snapshots) << "those of its final";
}

TEST_F(FailingDevice, BothReasonsAreGivenWhereThereAreTwo) {
  std::ofstream(dir_ / "hot") << "raised\n";
  std::ofstream(dir_ / "shared") << "raised\n";
  const TuneReport report = run(request("[64]"));
  EXPECT_THAT(report.batches.at(0).provisional,
              AllOf(HasSubstr("also used by 1 other process"), HasSubstr(", and the GPU's clocks were held down by")));
}

TEST_F(FailingDevice, AResultAtThePowerLimitStandsAndSaysSo) {
  std::ofstream(dir_ / "capped") << "raised\n";
  const TuneReport report = run(request("[64, 128]"));
  EXPECT_EQ(report.batches.at(0).provisional, "");
  EXPECT_THAT(report.warnings, Contains("batch 1000: the power limit of 700 W held the clocks down (sw_power_cap); its "
                                        "times are those of this limit"));
}

TEST_F(FailingDevice, TheStoreKeepsHowTheGpuWas) {
  (void)run(request("[64, 128]"));
  const auto store = storage::ResultStore::open(dir_ / "kt.db", storage::ResultStore::Mode::read_only);
  const std::string details = store.finals("add").at(0).details_json;
  EXPECT_THAT(details, AllOf(HasSubstr(R"("power_limit_mw":700000)"), HasSubstr(R"("at":"search")"),
                             HasSubstr(R"("clock_event_reasons":[])"), HasSubstr(R"("temperature_c":null)")));
  EXPECT_THAT(store.runs().at(0).device_json, HasSubstr(R"("power_limit_mw":700000)"));
}

TEST_F(FailingDevice, ALostDeviceEndsTheRunCalmlyWithWhatItHas) {
  const TuneReport report = run(request("[64, 128, 448, 192]"));
  EXPECT_THAT(report.stopped, AllOf(HasSubstr("device 'cuda:0' is lost"), HasSubstr("open device 'cuda:0'")));
  ASSERT_EQ(report.batches.size(), 1U) << "the second batch was not begun";
  EXPECT_EQ(report.batches[0].failed, 0) << "nobody is blamed";
  EXPECT_EQ(report.batches[0].evaluated, 2);
  EXPECT_THAT(report.warnings, testing::Contains(HasSubstr("the same command goes on from there")));

  const auto store = storage::ResultStore::open(dir_ / "kt.db", storage::ResultStore::Mode::read_only);
  EXPECT_EQ(store.recent("add", 100).size(), 2U);
  EXPECT_TRUE(store.leftovers("").empty());
  EXPECT_THAT(store.runs().at(0).outcome, HasSubstr("is lost"));
}

TEST_F(FailingDevice, AResultFromASharedDeviceIsProvisionalUntilItIsAlone) {
  std::ofstream(dir_ / "shared") << "raised\n";
  TuneRequest wanted = request("[64, 128]");
  wanted.budget.evaluations = 2;
  const TuneReport shared = run(wanted);
  EXPECT_THAT(shared.batches.at(0).provisional, HasSubstr("pid 4711 with 512 MiB"));
  EXPECT_THAT(shared.warnings, testing::Contains(HasSubstr("batch 1000: its times are provisional")));

  std::filesystem::remove(dir_ / "shared");
  const TuneReport alone = run(wanted);
  EXPECT_EQ(alone.batches.at(0).reused, 2);
  EXPECT_EQ(alone.batches.at(0).provisional, "");
  EXPECT_NE(alone.batches.at(0).finalists.at(0).time_ns, 0);
  EXPECT_EQ(alone.warnings, std::vector<std::string>{});

  const TuneReport restored = run(wanted);
  EXPECT_EQ(restored.batches.at(0).provisional, "");
}

TEST_F(FailingDevice, TheNextRunGoesOnWhenTheDeviceIsBack) {
  (void)run(request("[64, 128, 448]"));
  std::filesystem::remove(dir_ / "unplugged");
  const TuneReport report = run(request("[64, 128]"));
  EXPECT_EQ(report.stopped, "");
  EXPECT_EQ(report.batches.at(0).reused, 2);
}

}  // namespace
}  // namespace kerntune

int main(int argc, char** argv) {
  if (kerntune::is_worker(argc, argv)) return kerntune::worker_main(argc, argv, kerntune::open_fake);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
