// SPDX-License-Identifier: Apache-2.0
// The capability ladder over fake tables: what no machine of ours shows (MIG, MPS, vGPU, no permission, busy profiler).
#include "cupti/access.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "cupti/range_profiler.hpp"

namespace kerntune::cupti {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Rung = CounterAccess::Rung;

// What the fake library says; reset for each test.
struct Says {
  const char* chip = "GH100";
  CUpti_Profiler_Support_Level vgpu = CUPTI_PROFILER_CONFIGURATION_SUPPORTED,
                               confidential = CUPTI_PROFILER_CONFIGURATION_SUPPORTED,
                               wsl = CUPTI_PROFILER_CONFIGURATION_SUPPORTED,
                               cmp = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  CUptiResult initialize = CUPTI_SUCCESS, enable = CUPTI_SUCCESS, start = CUPTI_SUCCESS;
  std::size_t ranges = 0, dropped = 0;  // that come back
  int passes = 1, submitted = 0;
  std::vector<std::string> log;
} says;

CUptiResult fake_initialize(CUpti_Profiler_Initialize_Params*) { return says.initialize; }
CUptiResult fake_chip(CUpti_Device_GetChipName_Params* p) {
  p->pChipName = says.chip;
  return CUPTI_SUCCESS;
}
CUptiResult fake_chips(CUpti_Profiler_Host_GetSupportedChips_Params* p) {
  static const char* const known[] = {"GA100", "GH100"};
  p->ppChipNames = known;
  p->numChips = 2;
  return CUPTI_SUCCESS;
}
CUptiResult fake_supported(CUpti_Profiler_DeviceSupported_Params* p) {
  p->architecture = p->sli = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  p->vGpu = says.vgpu;
  p->confidentialCompute = says.confidential;
  p->wsl = says.wsl;
  p->cmp = says.cmp;
  const bool all = says.vgpu == CUPTI_PROFILER_CONFIGURATION_SUPPORTED &&
                   says.confidential == CUPTI_PROFILER_CONFIGURATION_SUPPORTED &&
                   says.wsl == CUPTI_PROFILER_CONFIGURATION_SUPPORTED &&
                   says.cmp == CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  p->isSupported = all ? CUPTI_PROFILER_CONFIGURATION_SUPPORTED : CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  return CUPTI_SUCCESS;
}
CUptiResult fake_text(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_FAKE";
  return CUPTI_SUCCESS;
}

CuptiApi fake_api() {
  CuptiApi api;
  api.initialize = fake_initialize;
  api.chip_name = fake_chip;
  api.host_chips = fake_chips;
  api.device_supported = fake_supported;
  api.result_text = fake_text;
  api.version = "13.0.1";
  api.path = "/opt/libcupti.so.13";
  return api;
}

class CounterLadder : public ::testing::Test {
 protected:
  void SetUp() override {
    says = {};
    surroundings_.api = &api_;
    surroundings_.compute_capability = 90;
    surroundings_.is_admin = true;
  }
  CounterAccess after(CUptiResult code) {
    return access_after(climb(surroundings_), surroundings_, CuptiError(api_, code, "enable the profiler"));
  }
  CuptiApi api_ = fake_api();
  Surroundings surroundings_;
};

TEST_F(CounterLadder, EndsAtTheTopWhereNothingIsInTheWay) {
  const CounterAccess access = climb(surroundings_);
  EXPECT_TRUE(access.usable());
  EXPECT_EQ(access.chip, "GH100");
  EXPECT_EQ(access.cupti, "13.0.1");
  EXPECT_EQ(access.library, "/opt/libcupti.so.13");
  EXPECT_FALSE(access.tried);
  EXPECT_EQ(sentence_of(access), "");
}

TEST_F(CounterLadder, NamesAMissingLibrary) {
  surroundings_.api = nullptr;
  surroundings_.no_cupti.reason = "libcupti cannot be loaded (libcupti.so.13: cannot open shared object file)";
  const CounterAccess access = climb(surroundings_);
  EXPECT_EQ(access.rung, Rung::no_library);
  EXPECT_THAT(sentence_of(access), AllOf(HasSubstr("cannot open"), HasSubstr("KERNTUNE_CUPTI")));
}

TEST_F(CounterLadder, NamesALibraryOfAnotherAge) {
  surroundings_.api = nullptr;
  surroundings_.no_cupti = {.is_wrong_version = true, .reason = "'/old/libcupti.so.12' (CUPTI API 22) has no X"};
  EXPECT_EQ(climb(surroundings_).rung, Rung::wrong_library);
  EXPECT_THAT(climb(surroundings_).remedy, HasSubstr("12.6"));
}

TEST_F(CounterLadder, KnowsWhereTheRangeProfilerBegins) {
  surroundings_.compute_capability = 70;
  const CounterAccess access = climb(surroundings_);
  EXPECT_EQ(access.rung, Rung::old_architecture);
  EXPECT_THAT(access.reason, HasSubstr("7.0"));
}

TEST_F(CounterLadder, RefusesToGuessForAnUnknownChip) {
  says.chip = "GR100";
  const CounterAccess access = climb(surroundings_);
  EXPECT_EQ(access.rung, Rung::unknown_chip);
  EXPECT_THAT(access.reason, AllOf(HasSubstr("GR100"), HasSubstr("GA100, GH100")));
}

TEST_F(CounterLadder, NamesMps) {
  surroundings_.mps = true;
  EXPECT_EQ(climb(surroundings_).rung, Rung::unsupported_device);
  EXPECT_THAT(climb(surroundings_).reason, HasSubstr("MPS"));
}

TEST_F(CounterLadder, NamesAVirtualGpu) {
  says.vgpu = CUPTI_PROFILER_CONFIGURATION_DISABLED;
  EXPECT_EQ(climb(surroundings_).rung, Rung::unsupported_device);
  EXPECT_THAT(sentence_of(climb(surroundings_)), AllOf(HasSubstr("virtual GPU"), HasSubstr("enable_profiling")));
}

TEST_F(CounterLadder, NamesConfidentialComputing) {
  says.confidential = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  EXPECT_THAT(climb(surroundings_).reason, HasSubstr("confidential"));
}

TEST_F(CounterLadder, NamesAMiningCardAndAnOldWindowsSubsystem) {
  says.cmp = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  EXPECT_THAT(climb(surroundings_).reason, HasSubstr("mining"));
  says.cmp = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  says.wsl = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  EXPECT_THAT(climb(surroundings_).remedy, HasSubstr("WSL 2"));
}

TEST_F(CounterLadder, ReadsTheDriversSettingBeforeTrying) {
  surroundings_.driver_params = "Foo: 0\nRmProfilingAdminOnly: 1\n";
  EXPECT_TRUE(climb(surroundings_).usable()) << "an administrator may";
  surroundings_.is_admin = false;
  const CounterAccess access = climb(surroundings_);
  EXPECT_EQ(access.rung, Rung::no_permission);
  EXPECT_THAT(sentence_of(access), AllOf(HasSubstr("RmProfilingAdminOnly"), HasSubstr("--cap-add=SYS_ADMIN"),
                                         HasSubstr("NVreg_RestrictProfilingToAdminUsers=0")));
  surroundings_.driver_params = "RmProfilingAdminOnly: 0\n";
  EXPECT_TRUE(climb(surroundings_).usable());
}

TEST_F(CounterLadder, SaysWhatARefusalMeans) {
  EXPECT_EQ(after(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES).rung, Rung::no_permission);
  EXPECT_TRUE(after(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES).tried);
  EXPECT_EQ(after(CUPTI_ERROR_HARDWARE_BUSY).rung, Rung::busy);
  EXPECT_THAT(after(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED).remedy, HasSubstr("dcgmi profile --pause"));
  EXPECT_THAT(after(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED).reason, HasSubstr("MIG"));
  EXPECT_EQ(after(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED).rung, Rung::unsupported_device);
  EXPECT_EQ(after(CUPTI_ERROR_INVALID_CHIP_NAME).rung, Rung::unknown_chip);
  EXPECT_THAT(after(CUPTI_ERROR_NOT_COMPATIBLE).reason, HasSubstr("/opt/libcupti.so.13"));
  EXPECT_EQ(after(CUPTI_ERROR_UNKNOWN).rung, Rung::failed);
  EXPECT_THAT(after(CUPTI_ERROR_UNKNOWN).reason, HasSubstr("enable the profiler: CUPTI_ERROR_FAKE (999)"));
}

TEST_F(CounterLadder, SurvivesALibraryThatCannotBegin) {
  says.initialize = CUPTI_ERROR_UNKNOWN;
  EXPECT_EQ(climb(surroundings_).rung, Rung::failed);
}

// -- a session over the fake library -------------------------------------------------------------------------------

CUptiResult fake_enable(CUpti_RangeProfiler_Enable_Params*) {
  says.log.push_back("enable");
  return says.enable;
}
CUptiResult fake_disable(CUpti_RangeProfiler_Disable_Params*) {
  says.log.push_back("disable");
  return CUPTI_SUCCESS;
}
CUptiResult fake_size(CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
  p->counterDataSize = 64;
  return CUPTI_SUCCESS;
}
CUptiResult fake_image(CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult fake_configure(CUpti_RangeProfiler_SetConfig_Params* p) {
  EXPECT_EQ(p->range, CUPTI_UserRange);
  EXPECT_EQ(p->replayMode, CUPTI_UserReplay);
  return CUPTI_SUCCESS;
}
CUptiResult fake_start(CUpti_RangeProfiler_Start_Params*) {
  says.log.push_back("start");
  return says.start;
}
CUptiResult fake_stop(CUpti_RangeProfiler_Stop_Params* p) {
  says.log.push_back("stop");
  p->isAllPassSubmitted = ++says.submitted % says.passes == 0 ? 1 : 0;
  return CUPTI_SUCCESS;
}
CUptiResult fake_push(CUpti_RangeProfiler_PushRange_Params* p) {
  says.log.push_back(std::string("push ") + p->pRangeName);
  return CUPTI_SUCCESS;
}
CUptiResult fake_pop(CUpti_RangeProfiler_PopRange_Params*) {
  says.log.push_back("pop");
  return CUPTI_SUCCESS;
}
CUptiResult fake_decode(CUpti_RangeProfiler_DecodeData_Params* p) {
  p->numOfRangeDropped = says.dropped;
  return CUPTI_SUCCESS;
}
CUptiResult fake_info(CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
  p->numTotalRanges = says.ranges;
  return CUPTI_SUCCESS;
}
CUptiResult fake_host(CUpti_Profiler_Host_Initialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult fake_host_end(CUpti_Profiler_Host_Deinitialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult fake_evaluate(CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
  for (std::size_t i = 0; i < p->numMetrics; ++i)
    p->pMetricValues[i] = i == 0 ? 100.0 + static_cast<double>(p->rangeIndex) : std::nan("");
  return CUPTI_SUCCESS;
}

class RangeSession : public CounterLadder {
 protected:
  void SetUp() override {
    CounterLadder::SetUp();
    api_.range_enable = fake_enable;
    api_.range_disable = fake_disable;
    api_.range_data_size = fake_size;
    api_.range_data_initialize = fake_image;
    api_.range_configure = fake_configure;
    api_.range_start = fake_start;
    api_.range_stop = fake_stop;
    api_.range_push = fake_push;
    api_.range_pop = fake_pop;
    api_.range_decode = fake_decode;
    api_.range_data_info = fake_info;
    api_.host_initialize = fake_host;
    api_.host_deinitialize = fake_host_end;
    api_.host_evaluate = fake_evaluate;
    plan_.chip = "GH100";
    plan_.passes = 2;
    plan_.image = {1, 2, 3};
    plan_.metrics = {{"dram__bytes_read.sum", "dram__bytes_op_read.sum", "byte"}, {"b.sum", "b.sum", ""}};
    plan_.missing = {"c.sum"};
    plan_.dropped = {"d.sum"};
    says.passes = 2;
    says.ranges = 2;
  }
  std::vector<Counters> collect() {
    const HostProfiler host(api_, "GH100", {});
    RangeProfiler profiler(api_, nullptr);
    return profiler.collect(
        {plan_, host, "test"}, 2, [](std::size_t i) { says.log.push_back("prepare " + std::to_string(i)); },
        [](std::size_t i) { says.log.push_back("run " + std::to_string(i)); });
  }
  Plan plan_;
};

TEST_F(RangeSession, RunsEveryRangeOncePerPassAndEndsTheProfiler) {
  const std::vector<Counters> counters = collect();
  const std::vector<std::string> pass{"start",     "prepare 0", "push 0", "run 0", "pop",
                                      "prepare 1", "push 1",    "run 1",  "pop",   "stop"};
  std::vector<std::string> expected{"enable"};
  expected.insert(expected.end(), pass.begin(), pass.end());
  expected.insert(expected.end(), pass.begin(), pass.end());
  expected.push_back("disable");
  EXPECT_EQ(says.log, expected);
  ASSERT_EQ(counters.size(), 2U);
  EXPECT_EQ(counters[1].value("dram__bytes_read.sum"), 101.0);
  EXPECT_EQ(counters[1].passes, 2U);
  ASSERT_EQ(counters[1].readings.size(), 4U);
  EXPECT_EQ(counters[1].readings[0].counted_as, "dram__bytes_op_read.sum");
  EXPECT_EQ(counters[1].readings[1].status, Reading::Status::invalid) << "not a number is no number";
  EXPECT_EQ(counters[1].readings[2].status, Reading::Status::missing);
  EXPECT_EQ(counters[1].readings[3].status, Reading::Status::dropped);
}

TEST_F(RangeSession, StaysOnForTheNextSession) {
  const HostProfiler host(api_, "GH100", {});
  plan_.passes = says.passes = 1;
  says.ranges = 1;
  {
    RangeProfiler profiler(api_, nullptr);
    for (int session = 0; session < 2; ++session)
      (void)profiler.collect({plan_, host, "test"}, 1, [](std::size_t) {}, [](std::size_t) {});
  }
  const std::vector<std::string> session{"start", "push 0", "pop", "stop"};
  std::vector<std::string> expected{"enable"};
  expected.insert(expected.end(), session.begin(), session.end());
  expected.insert(expected.end(), session.begin(), session.end());
  expected.push_back("disable");
  EXPECT_EQ(says.log, expected);
}

TEST_F(RangeSession, DistrustsRangesThatDidNotComeBack) {
  says.ranges = 1;
  EXPECT_THROW(collect(), CuptiError);
  EXPECT_EQ(says.log.back(), "disable");
}

TEST_F(RangeSession, EndsThoughTheProfilerNeverHasEnough) {
  says.passes = 1'000'000;
  EXPECT_THROW(collect(), CuptiError);
  EXPECT_EQ(std::ranges::count(says.log, "start"), 2) << "as planned";
  EXPECT_EQ(says.log.back(), "disable");
}

TEST_F(RangeSession, EndsTheProfilerWhenItCannotStart) {
  says.start = CUPTI_ERROR_HARDWARE_BUSY;
  EXPECT_THROW(collect(), CuptiError);
  EXPECT_EQ(says.log, (std::vector<std::string>{"enable", "start", "disable"}));
}

TEST_F(RangeSession, LeavesNothingBehindWhenItCannotBeEnabled) {
  says.enable = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  EXPECT_THROW(collect(), CuptiError);
  EXPECT_EQ(says.log, std::vector<std::string>{"enable"});
}

}  // namespace
}  // namespace kerntune::cupti
