// SPDX-License-Identifier: Apache-2.0
#include "nvml_api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shared_library.hpp"

namespace kerntune::cuda {
namespace {

struct LoadedNvml {
  NvmlApi api;
  bool usable = false;
};

LoadedNvml load_nvml() {
  LoadedNvml loaded;
  const std::array<std::string, 1> names{"libnvidia-ml.so.1"};
  const SharedLibrary library = SharedLibrary::open_first(names);
  if (!library) return loaded;
  loaded.api = nvml_table([&](const char* name) { return library.symbol(name); });
  loaded.usable =
      loaded.api.init != nullptr && loaded.api.device_by_uuid != nullptr && loaded.api.init() == kNvmlSuccess;
  return loaded;
}

}  // namespace

NvmlApi nvml_table(const std::function<void*(const char* name)>& symbol) {
  const auto take = [&](auto& function, std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (function == nullptr) function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol(name));
  };
  NvmlApi api;
  take(api.init, {"nvmlInit_v2"});
  take(api.device_by_uuid, {"nvmlDeviceGetHandleByUUID"});
  take(api.compute_processes, {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  take(api.board_of_mig, {"nvmlDeviceGetDeviceHandleFromMigDeviceHandle"});
  take(api.pci, {"nvmlDeviceGetPciInfo_v3"});
  take(api.vbios, {"nvmlDeviceGetVbiosVersion"});
  take(api.enforced_power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  take(api.power_limit, {"nvmlDeviceGetPowerManagementLimit"});
  take(api.default_power_limit, {"nvmlDeviceGetPowerManagementDefaultLimit"});
  take(api.power_limits, {"nvmlDeviceGetPowerManagementLimitConstraints"});
  take(api.max_clock, {"nvmlDeviceGetMaxClockInfo"});
  take(api.clock, {"nvmlDeviceGetClockInfo"});
  take(api.temperature_threshold, {"nvmlDeviceGetTemperatureThreshold"});
  take(api.ecc, {"nvmlDeviceGetEccMode"});
  take(api.mig, {"nvmlDeviceGetMigMode"});
  take(api.persistence, {"nvmlDeviceGetPersistenceMode"});
  take(api.pcie_generation, {"nvmlDeviceGetCurrPcieLinkGeneration"});
  take(api.pcie_width, {"nvmlDeviceGetCurrPcieLinkWidth"});
  take(api.max_pcie_generation, {"nvmlDeviceGetMaxPcieLinkGeneration"});
  take(api.max_pcie_width, {"nvmlDeviceGetMaxPcieLinkWidth"});
  take(api.nvlink, {"nvmlDeviceGetNvLinkState"});
  take(api.memory_affinity, {"nvmlDeviceGetMemoryAffinity"});
  take(api.cpu_affinity, {"nvmlDeviceGetCpuAffinity"});
  take(api.power, {"nvmlDeviceGetPowerUsage"});
  take(api.temperature, {"nvmlDeviceGetTemperatureV"});
  take(api.old_temperature, {"nvmlDeviceGetTemperature"});
  take(api.utilization, {"nvmlDeviceGetUtilizationRates"});
  take(api.clock_events, {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  take(api.fields, {"nvmlDeviceGetFieldValues"});
  return api;
}

const NvmlApi* nvml_api() {
  static const LoadedNvml loaded = load_nvml();
  return loaded.usable ? &loaded.api : nullptr;
}

std::optional<NvmlDevice> find_nvml_device(const NvmlApi& api, const std::string& uuid) {
  NvmlDevice found;
  if (api.device_by_uuid(uuid.c_str(), &found.device) == kNvmlSuccess) {
    found.board = found.device;
    return found;
  }
  // The driver gives the instance's own UUID; NVML wants to see that it is one.
  const std::string instance = "MIG-" + uuid.substr(uuid.find('-') + 1);
  if (api.device_by_uuid(instance.c_str(), &found.device) != kNvmlSuccess) return std::nullopt;
  found.is_instance = true;
  if (api.board_of_mig == nullptr || api.board_of_mig(found.device, &found.board) != kNvmlSuccess)
    found.board = found.device;
  return found;
}

std::vector<NvmlProcess> compute_processes(const NvmlApi& api, const std::string& uuid) {
  const auto found = find_nvml_device(api, uuid);
  if (!found || api.compute_processes == nullptr) return {};
  std::vector<NvmlProcess> processes(32);
  for (int attempt = 0; attempt < 3; ++attempt) {  // more may come while they are counted
    auto count = static_cast<unsigned>(processes.size());
    const int result = api.compute_processes(found->device, &count, processes.data());
    if (result == kNvmlSuccess) {
      processes.resize(std::min<std::size_t>(count, processes.size()));
      return processes;
    }
    if (result != kNvmlInsufficientSize) break;
    processes.resize(count + 16);
  }
  return {};
}

std::string other_users(const std::vector<NvmlProcess>& processes, unsigned own_pid, std::size_t own_contexts) {
  std::vector<NvmlProcess> others = processes;
  const auto own = std::remove_if(others.begin(), others.end(), [&](const NvmlProcess& p) { return p.pid == own_pid; });
  if (own != others.end()) {
    others.erase(own, others.end());
  } else if (others.size() <= own_contexts) {
    return {};
  } else {
    // Which of these numbers is this process's is not known here; only how many are not.
    const std::size_t count = others.size() - own_contexts;
    return fmt::format("{} other process{}", count, count == 1 ? "" : "es");
  }
  if (others.empty()) return {};
  std::string text = fmt::format("{} other process{} (", others.size(), others.size() == 1 ? "" : "es");
  for (const NvmlProcess& p : others) text += fmt::format("pid {} with {} MiB, ", p.pid, p.bytes >> 20);
  text.resize(text.size() - 2);
  return text + ")";
}

}  // namespace kerntune::cuda
