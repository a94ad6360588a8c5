// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kerntune::cuda {

/// What NVML says of a process with a context on a GPU. Laid out as the library does (nvmlProcessInfo_t, version 2).
struct NvmlProcess {
  unsigned pid = 0;  // as the host counts; a container sees other numbers
  unsigned long long bytes = 0;
  unsigned gpu_instance = 0, compute_instance = 0;
};

/// nvmlPciInfo_t, version 3.
struct NvmlPci {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

/// nvmlTemperature_v1_t.
struct NvmlTemperature {
  unsigned version;
  int sensor;
  int temperature_c;
};

/// nvmlUtilization_t: percent.
struct NvmlUtilization {
  unsigned gpu, memory;
};

/// nvmlFieldValue_t.
struct NvmlField {
  unsigned id, scope;
  long long timestamp_us, latency_us;
  int type;    // of the value: nvmlValueType_t
  int result;  // nvmlReturn_t of this field
  union {
    double real;
    unsigned whole;
    unsigned long long_whole;  // NOLINT(google-runtime-int): the library's
    unsigned long long long_long_whole;
    long long signed_whole;
  } value;
};

/// The functions of NVML that are used, all of which only read. Its header is not part of every toolkit, so they are
/// declared here, as nvml.h of CUDA 12.9 has them: handles are pointers, enumerations ints, the result is nvmlReturn_t.
/// All but the first two may be null, and any may fail: an old driver, a virtual GPU or a container lacks some.
struct NvmlApi {
  using Number = int (*)(void* device, unsigned* value);
  using NumberOf = int (*)(void* device, int which, unsigned* value);

  int (*init)() = nullptr;
  int (*device_by_uuid)(const char* uuid, void** device) = nullptr;
  int (*compute_processes)(void* device, unsigned* count, NvmlProcess* processes) = nullptr;

  int (*board_of_mig)(void* mig_instance, void** board) = nullptr;
  int (*pci)(void* device, NvmlPci* pci) = nullptr;
  int (*vbios)(void* device, char* text, unsigned size) = nullptr;
  Number enforced_power_limit = nullptr, power_limit = nullptr, default_power_limit = nullptr;  // mW
  int (*power_limits)(void* device, unsigned* min_mw, unsigned* max_mw) = nullptr;
  NumberOf max_clock = nullptr, clock = nullptr;  // MHz
  NumberOf temperature_threshold = nullptr;       // degrees C
  int (*ecc)(void* device, int* current, int* pending) = nullptr;
  int (*mig)(void* device, unsigned* current, unsigned* pending) = nullptr;
  int (*persistence)(void* device, int* mode) = nullptr;
  Number pcie_generation = nullptr, pcie_width = nullptr, max_pcie_generation = nullptr, max_pcie_width = nullptr;
  int (*nvlink)(void* device, unsigned link, int* active) = nullptr;
  // NOLINTNEXTLINE(google-runtime-int): the library's
  int (*memory_affinity)(void* device, unsigned words, unsigned long* nodes, unsigned scope) = nullptr;
  // NOLINTNEXTLINE(google-runtime-int): the library's
  int (*cpu_affinity)(void* device, unsigned words, unsigned long* cpus) = nullptr;

  Number power = nullptr;  // mW
  int (*temperature)(void* device, NvmlTemperature* temperature) = nullptr;
  NumberOf old_temperature = nullptr;  // degrees C
  int (*utilization)(void* device, NvmlUtilization* utilization) = nullptr;
  int (*clock_events)(void* device, unsigned long long* reasons) = nullptr;
  int (*fields)(void* device, int count, NvmlField* fields) = nullptr;
};

constexpr int kNvmlSuccess = 0, kNvmlInsufficientSize = 7;  // nvmlReturn_t

/// A table of what `symbol` finds by name; newer names before older ones.
NvmlApi nvml_table(const std::function<void*(const char* name)>& symbol);

/// libnvidia-ml.so.1's functions, initialised, loaded at the first call; null if there are none. Threads: any.
const NvmlApi* nvml_api();

/// What NVML calls a CUDA device.
struct NvmlDevice {
  void* device = nullptr;    // an instance of a partitioned GPU, or the GPU
  void* board = nullptr;     // the GPU; the instance itself if the library does not tell its GPU
  bool is_instance = false;  // MIG
};
/// `uuid` as in DeviceInfo, "GPU-<uuid>", also for an instance of a partitioned GPU. None if NVML does not know it.
std::optional<NvmlDevice> find_nvml_device(const NvmlApi& api, const std::string& uuid);

/// Processes with a compute context on the device; none if NVML does not say.
std::vector<NvmlProcess> compute_processes(const NvmlApi& api, const std::string& uuid);

/// "2 other processes (pid 4711 with 512 MiB, ...)", empty for none. `own_contexts` is how many of them are this
/// process's: taken off by pid if one is listed, else, in a container, one for each.
std::string other_users(const std::vector<NvmlProcess>& processes, unsigned own_pid, std::size_t own_contexts);

}  // namespace kerntune::cuda
