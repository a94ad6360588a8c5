// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kerntune::cuda {

/// What NVML says of a process with a context on a GPU. Laid out as the library does (nvmlProcessInfo_t, version 2).
struct NvmlProcess {
  unsigned pid = 0;  // as the host counts; a container sees other numbers
  unsigned long long bytes = 0;
  unsigned gpu_instance = 0, compute_instance = 0;
};

/// The functions of NVML that are used. Its header is not part of every toolkit, so they are declared here.
struct NvmlApi {
  int (*init)() = nullptr;
  int (*device_by_uuid)(const char* uuid, void** device) = nullptr;
  int (*compute_processes)(void* device, unsigned* count, NvmlProcess* processes) = nullptr;
};

/// libnvidia-ml.so.1's functions, initialised, loaded at the first call; null if there are none. Threads: any.
const NvmlApi* nvml_api();

/// Processes with a compute context on the GPU "GPU-<uuid>"; none if NVML does not say.
std::vector<NvmlProcess> compute_processes(const NvmlApi& api, const std::string& uuid);

/// "2 other processes (pid 4711 with 512 MiB, ...)", empty for none. `own_contexts` is how many of them are this
/// process's: taken off by pid if one is listed, else, in a container, one for each.
std::string other_users(const std::vector<NvmlProcess>& processes, unsigned own_pid, std::size_t own_contexts);

}  // namespace kerntune::cuda
