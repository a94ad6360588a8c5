// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_device.hpp"

#include <kerntune/core/errors.hpp>

#include <unistd.h>

#include "cuda/device_info.hpp"
#include "cuda/engine_kernels.hpp"
#include "cuda_fake_fixture.hpp"

namespace kerntune::cuda {
namespace {

using testing::HasSubstr;

TEST(DriverErrors, StickyOnesAreKnown) {
  for (const CUresult code :
       {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_ASSERT, CUDA_ERROR_LAUNCH_FAILED,
        CUDA_ERROR_ILLEGAL_INSTRUCTION, CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_INVALID_PC}) {
    SCOPED_TRACE(code);
    EXPECT_TRUE(is_sticky(code));
    EXPECT_EQ(reason_of(code), Reason::fault);
  }
  EXPECT_FALSE(is_sticky(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_FALSE(is_sticky(CUDA_ERROR_INVALID_VALUE));
}

TEST(DriverErrors, OfTheDeviceAreNobodysFault) {
  for (const CUresult code : {CUDA_ERROR_DEVICE_UNAVAILABLE, CUDA_ERROR_NO_DEVICE, CUDA_ERROR_ECC_UNCORRECTABLE,
                              CUDA_ERROR_NVLINK_UNCORRECTABLE, CUDA_ERROR_SYSTEM_NOT_READY}) {
    SCOPED_TRACE(code);
    EXPECT_TRUE(is_sticky(code));
    EXPECT_EQ(reason_of(code), Reason::device_lost);
  }
}

TEST(DriverErrors, HaveReasons) {
  EXPECT_EQ(reason_of(CUDA_ERROR_OUT_OF_MEMORY), Reason::out_of_memory);
  EXPECT_EQ(reason_of(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES), Reason::device_limit);
  EXPECT_EQ(reason_of(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE), Reason::device_limit);
  EXPECT_EQ(reason_of(CUDA_ERROR_INVALID_VALUE), Reason::launch_error);
  EXPECT_EQ(reason_of(CUDA_ERROR_LAUNCH_TIMEOUT), Reason::timeout);
}

TEST(DeviceClass, NamesTheHardwareOnly) {
  EXPECT_EQ(class_key({90, 132, 62914560, 232448, 65536, 6144, 3201000, 150754820096u}),
            "cuda-sm90-132sm-l2:62914560-smem:232448-regs:65536-bus:6144-memclk:3201-mem:144");
}

TEST(DeviceClass, IgnoresWhatTheDriverKeepsOfTheMemory) {
  EXPECT_EQ(class_key({80, 108, 1, 1, 1, 1, 1, 84987740160u}), class_key({80, 108, 1, 1, 1, 1, 1, 85520809984u}));
}

TEST(DeviceClass, KnowsLanesOfEveryGeneration) {
  EXPECT_EQ(fp32_lanes_per_sm(70), 64);
  EXPECT_EQ(fp32_lanes_per_sm(80), 64);
  EXPECT_EQ(fp32_lanes_per_sm(86), 128);
  EXPECT_EQ(fp32_lanes_per_sm(90), 128);
  EXPECT_EQ(fp32_lanes_per_sm(120), 128);
  EXPECT_EQ(fp32_lanes_per_sm(199), 0);
}

TEST(CudaDeviceList, SaysWhatIsMissing) {
  std::vector<std::string> unavailable;
  const std::vector<DeviceInfo> devices = list_cuda_devices(unavailable);
  if (devices.empty()) {
    EXPECT_THAT(unavailable, testing::Contains(HasSubstr("no CUDA device")));
  } else {
    EXPECT_EQ(devices.front().id, "cuda:0");
  }
}

TEST_F(FakeDeviceTest, ListsDevicesWithoutAContext) {
  driver.devices = 2;
  std::vector<std::string> unavailable;
  const std::vector<DeviceInfo> devices = list_devices(driver.api(), unavailable);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1].id, "cuda:1");
  EXPECT_EQ(devices[0].name, "Fake H200");
  EXPECT_EQ(devices[0].uuid, "GPU-1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f");
  EXPECT_EQ(devices[0].arch, "sm_90");
  EXPECT_THAT(devices[0].driver, testing::StartsWith("13.0"));
  EXPECT_EQ(devices[0].properties.shared_per_block_optin, 232448);
  EXPECT_EQ(devices[0].peak_flop_per_s_f32, 2.0 * 2 * 128 * 1.98e9);
  EXPECT_EQ(driver.contexts, 0u);
  EXPECT_TRUE(unavailable.empty());
}

TEST_F(FakeDeviceTest, ListsNothingWithAReason) {
  std::vector<std::string> unavailable;
  driver.devices = 0;
  EXPECT_TRUE(list_devices(driver.api(), unavailable).empty());
  driver.init_result = CUDA_ERROR_NO_DEVICE;
  EXPECT_TRUE(list_devices(driver.api(), unavailable).empty());
  EXPECT_THAT(unavailable, testing::ElementsAre(HasSubstr("the driver shows none"), HasSubstr("(100)")));
}

TEST_F(FakeDeviceTest, OpenSaysWhichDevicesThereAre) {
  try {
    open_device(driver.api(), 7, [](const std::string&) { return CompiledModule{}; });
    FAIL() << "opened";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(), "open device 'cuda:7': there is no such device; the driver shows 1");
  }
}

TEST_F(FakeDeviceTest, OpenRefusesOldHardware) {
  driver.attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 6;
  EXPECT_THROW(device(), DeviceError);
  EXPECT_EQ(driver.contexts, 0u);
}

TEST_F(FakeDeviceTest, OpenMeasuresTheCopyBandwidth) {
  // The fake copies 100 bytes per nanosecond; a copied byte is read and written.
  EXPECT_NEAR(device().info().peak_bytes_per_s, 200e9, 1e9);
}

/// A context of this test's own, and two of others.
int three_processes(void*, unsigned* count, NvmlProcess* processes) {
  if (*count < 3) return *count = 3, 7;  // NVML_ERROR_INSUFFICIENT_SIZE
  processes[0] = {static_cast<unsigned>(::getpid()), 1 << 20, 0, 0};
  processes[1] = {4711, 512 << 20, 0, 0};
  processes[2] = {4712, 3 << 20, 0, 0};
  return *count = 3, 0;
}

const NvmlApi kFakeNvml{[] { return 0; }, [](const char*, void**) { return 0; }, three_processes};

TEST_F(FakeDeviceTest, KnowsWhoElseUsesIt) {
  const auto device = open_device(driver.api(), 0, [](const std::string&) { return module_of("engine"); }, &kFakeNvml);
  EXPECT_EQ(device->shared_with(), "2 other processes (pid 4711 with 512 MiB, pid 4712 with 3 MiB)");
}

TEST_F(FakeDeviceTest, KnowsOfNobodyWithoutNvml) { EXPECT_EQ(device().shared_with(), ""); }

TEST(OtherUsers, AreCountedWhereAContainerHidesWhoTheyAre) {
  EXPECT_EQ(other_users({}, 10, 1), "");
  EXPECT_EQ(other_users({{4711, 1, 0, 0}}, 10, 1), "") << "that is this process, by its number on the host";
  EXPECT_EQ(other_users({{4711, 1, 0, 0}, {4712, 1, 0, 0}}, 10, 1), "1 other process");
  EXPECT_EQ(other_users({{10, 1, 0, 0}}, 10, 1), "");
}

TEST_F(FakeDeviceTest, FreesEverything) {
  open();
  {
    auto prepared = prepare();
    ASSERT_TRUE(session_->verify(*prepared, 1));
    ASSERT_TRUE(session_->time(*prepared, 1, 3));
  }
  session_.reset();
  device_.reset();
  EXPECT_EQ(driver.allocated_bytes(), 0u);
  EXPECT_EQ(driver.loaded_modules, 0u);
  EXPECT_EQ(driver.live_events, 0u);
  EXPECT_EQ(driver.host_allocations, 0u);
  EXPECT_EQ(driver.streams, 0u);
  EXPECT_EQ(driver.contexts, 0u);
}

TEST(EngineKernels, CompileForOldAndNewArchitectures) {
  std::string why_not;
  if (nvrtc::version(&why_not).empty()) GTEST_SKIP() << why_not;
  const std::vector<int> all = nvrtc::architectures();
  for (const int arch : {std::max(70, all.front()), 90, all.back()}) {
    SCOPED_TRACE(arch);
    const auto module = nvrtc::compile(engine_kernels_job("sm_" + std::to_string(arch)));
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_EQ(module->entries.size(), 12u);
    EXPECT_EQ(module->log, "");
  }
}

}  // namespace
}  // namespace kerntune::cuda
