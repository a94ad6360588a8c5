// SPDX-License-Identifier: Apache-2.0
#include "nvml_api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shared_library.hpp"

namespace kerntune::cuda {
namespace {

constexpr int kSuccess = 0, kInsufficientSize = 7;  // nvmlReturn_t

struct LoadedNvml {
  NvmlApi api;
  bool usable = false;
};

LoadedNvml load_nvml() {
  LoadedNvml loaded;
  const std::array<std::string, 1> names{"libnvidia-ml.so.1"};
  const SharedLibrary library = SharedLibrary::open_first(names);
  if (!library) return loaded;
  const auto take = [&](auto& function, std::initializer_list<const char*> symbols) {
    for (const char* symbol : symbols)
      if (function == nullptr)
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(symbol));
  };
  take(loaded.api.init, {"nvmlInit_v2"});
  take(loaded.api.device_by_uuid, {"nvmlDeviceGetHandleByUUID"});
  take(loaded.api.compute_processes,
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  loaded.usable = loaded.api.init != nullptr && loaded.api.device_by_uuid != nullptr &&
                  loaded.api.compute_processes != nullptr && loaded.api.init() == kSuccess;
  return loaded;
}

}  // namespace

const NvmlApi* nvml_api() {
  static const LoadedNvml loaded = load_nvml();
  return loaded.usable ? &loaded.api : nullptr;
}

std::vector<NvmlProcess> compute_processes(const NvmlApi& api, const std::string& uuid) {
  void* device = nullptr;
  if (api.device_by_uuid(uuid.c_str(), &device) != kSuccess) return {};
  std::vector<NvmlProcess> processes(32);
  for (int attempt = 0; attempt < 3; ++attempt) {  // more may come while they are counted
    auto count = static_cast<unsigned>(processes.size());
    const int result = api.compute_processes(device, &count, processes.data());
    if (result == kSuccess) {
      processes.resize(std::min<std::size_t>(count, processes.size()));
      return processes;
    }
    if (result != kInsufficientSize) break;
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
