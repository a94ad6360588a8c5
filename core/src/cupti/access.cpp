// SPDX-License-Identifier: Apache-2.0
#include "access.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "pass_planner.hpp"

namespace kerntune::cupti {
namespace {

using Rung = CounterAccess::Rung;

constexpr int kOldestWithRanges = 75;

CounterAccess stop(CounterAccess access, Rung rung, std::string reason, std::string remedy) {
  access.rung = rung;
  access.reason = std::move(reason);
  access.remedy = std::move(remedy);
  return access;
}

CounterAccess without_library(const NoCupti& why_not) {
  if (why_not.is_wrong_version)
    return stop({}, Rung::wrong_library, why_not.reason,
                "install the CUPTI of CUDA 12.6 or newer, or set KERNTUNE_CUPTI to its libcupti.so");
  return stop({}, Rung::no_library, why_not.reason,
              "install the CUDA toolkit's CUPTI (Debian, Ubuntu: cuda-cupti-13-0), or set KERNTUNE_CUPTI to its "
              "libcupti.so");
}

std::string chip_of(const CuptiApi& api, int ordinal) {
  KERNTUNE_CUPTI_PARAMS(params, CUpti_Device_GetChipName_Params);
  params.deviceIndex = static_cast<std::size_t>(ordinal);
  check(api, api.chip_name(&params), fmt::format("ask for the chip of cuda:{}", ordinal));
  return params.pChipName;
}

/// Which of the kinds of devices that cannot be profiled this one is; empty if none.
CounterAccess kind_of_device(CounterAccess access, const CuptiApi& api, int ordinal) {
  KERNTUNE_CUPTI_PARAMS(params, CUpti_Profiler_DeviceSupported_Params);
  params.cuDevice = ordinal;
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  check(api, api.device_supported(&params), fmt::format("ask whether cuda:{} can be profiled", ordinal));
  if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return access;
  struct Kind {
    CUpti_Profiler_Support_Level level;
    const char* reason;
    const char* remedy;
  };
  const Kind kinds[] = {
      {params.architecture, "CUPTI cannot profile this architecture", "tune by times"},
      {params.vGpu, "the device is a virtual GPU on which profiling is not enabled",
       "ask the administrator of the host to set pciPassthru<N>.cfg.enable_profiling=1 for this machine"},
      {params.confidentialCompute, "the device is in confidential-computing mode, which hides counters",
       "tune by times, or on a device in ordinary mode"},
      {params.cmp, "mining cards have no profiler", "tune by times"},
      {params.sli, "devices linked by SLI cannot be profiled", "switch SLI off"},
      {params.wsl, "this Windows Subsystem for Linux gives no counters",
       "use WSL 2 with driver 525 or newer and allow GPU performance counters in the NVIDIA control panel"},
  };
  for (const Kind& kind : kinds)
    if (kind.level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED || kind.level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
      return stop(std::move(access), Rung::unsupported_device, kind.reason, kind.remedy);
  return stop(std::move(access), Rung::unsupported_device,
              "CUPTI says that it does not support this device, and not why", "tune by times; `ncu` may say more");
}

bool is_restricted(const std::string& driver_params) {
  return driver_params.find("RmProfilingAdminOnly: 1") != std::string::npos;
}

const char* permission_remedy() {
  return "run as root, give the container --cap-add=SYS_ADMIN, or ask the administrator to load the driver with "
         "NVreg_RestrictProfilingToAdminUsers=0 (docs/counters.md)";
}

bool has_sys_admin() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("CapEff:")) continue;
    constexpr unsigned long long kSysAdmin = 1ULL << 21;
    return (std::strtoull(line.c_str() + 7, nullptr, 16) & kSysAdmin) != 0;
  }
  return false;
}

std::string content_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_mps_client() {
  const char* pipe = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  const std::string folder = pipe != nullptr && *pipe != '\0' ? pipe : "/tmp/nvidia-mps";
  return ::access((folder + "/control").c_str(), F_OK) == 0;
}

}  // namespace

Surroundings real_surroundings(int ordinal, int compute_capability) {
  Surroundings found;
  found.api = cupti_api(&found.no_cupti);
  found.ordinal = ordinal;
  found.compute_capability = compute_capability;
  found.mps = is_mps_client();
  found.is_admin = has_sys_admin();
  found.driver_params = content_of("/proc/driver/nvidia/params");
  return found;
}

CounterAccess climb(const Surroundings& surroundings) {
  if (surroundings.api == nullptr) return without_library(surroundings.no_cupti);
  const CuptiApi& api = *surroundings.api;
  CounterAccess access;
  access.cupti = api.version;
  access.library = api.path;
  if (surroundings.compute_capability < kOldestWithRanges)
    return stop(access, Rung::old_architecture,
                fmt::format("CUPTI's range profiler begins with compute capability 7.5, the device has {}.{}",
                            surroundings.compute_capability / 10, surroundings.compute_capability % 10),
                "tune by times; the compiler's facts (registers, spills, occupancy) are there all the same");
  if (surroundings.mps)
    return stop(access, Rung::unsupported_device, "a Multi-Process Service (MPS) runs the device, which hides counters",
                "tune without MPS: echo quit | nvidia-cuda-mps-control");
  try {
    KERNTUNE_CUPTI_PARAMS(initialize, CUpti_Profiler_Initialize_Params);
    check(api, api.initialize(&initialize), "start the profiler");
    access.chip = chip_of(api, surroundings.ordinal);
    const std::vector<std::string> chips = supported_chips(api);
    if (std::find(chips.begin(), chips.end(), access.chip) == chips.end())
      return stop(
          access, Rung::unknown_chip,
          fmt::format("CUPTI {} does not know chip {}; it knows {}", api.version, access.chip, fmt::join(chips, ", ")),
          "install the CUPTI that came with, or after, this GPU");
    access.rung = Rung::usable;
    access = kind_of_device(std::move(access), api, surroundings.ordinal);
  } catch (const CuptiError& error) {
    return access_after(std::move(access), surroundings, error);
  }
  if (access.usable() && is_restricted(surroundings.driver_params) && !surroundings.is_admin)
    return stop(access, Rung::no_permission,
                "the driver keeps counters to administrators (RmProfilingAdminOnly is 1), and this process is none",
                permission_remedy());
  return access;
}

CounterAccess access_after(CounterAccess access, const Surroundings& surroundings, const CuptiError& error) {
  access.tried = true;
  switch (error.code()) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return stop(std::move(access), Rung::no_permission,
                  fmt::format("the driver keeps counters to administrators ({})", error.what()), permission_remedy());
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return stop(std::move(access), Rung::busy, fmt::format("another profiler has the counters ({})", error.what()),
                  "end Nsight, DCGM's profiling (dcgmi profile --pause) or the other CUPTI client, then try again");
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return stop(std::move(access), Rung::unsupported_device,
                  fmt::format("the device is a slice (MIG) without counters of its own ({})", error.what()),
                  "profile on a whole GPU, or in a GPU instance that is not shared");
    case CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_WITH_MPS:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_NOT_SUPPORTED:
      return stop(std::move(access), Rung::unsupported_device,
                  fmt::format("CUPTI does not support this device ({})", error.what()), "tune by times");
    case CUPTI_ERROR_INVALID_CHIP_NAME:
      return stop(std::move(access), Rung::unknown_chip,
                  fmt::format("CUPTI does not know this chip ({})", error.what()),
                  "install the CUPTI that came with, or after, this GPU");
    case CUPTI_ERROR_NOT_COMPATIBLE:
    case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
    case CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED:
      return stop(std::move(access), Rung::wrong_library,
                  fmt::format("'{}' does not fit the driver or another profiler in this process ({})",
                              surroundings.api != nullptr ? surroundings.api->path : "", error.what()),
                  "install the CUPTI of the driver's CUDA version, or set KERNTUNE_CUPTI to it");
    default:
      return stop(std::move(access), Rung::failed, error.what(), "tune by times; `kerntune devices` tries again");
  }
}

}  // namespace kerntune::cupti
