// SPDX-License-Identifier: Apache-2.0
#include "cuda_fake_nvml.hpp"

#include <cstdio>
#include <cstring>

namespace kerntune::cuda {
namespace {

template <unsigned Value>
int says(void*, unsigned* value) {
  *value = Value;
  return kNvmlSuccess;
}

int h200_clock(unsigned sm_mhz, int which, unsigned* mhz) {
  if (which != 1 && which != 2) return kNotSupported;
  *mhz = which == 1 ? sm_mhz : 3201;
  return kNvmlSuccess;
}

int fields(void*, int count, NvmlField* fields) {
  for (int i = 0; i < count; ++i) {
    fields[i].type = 3;
    fields[i].result = kNvmlSuccess;
    fields[i].value.long_long_whole = fields[i].id * 1'000'000ULL;
  }
  return kNvmlSuccess;
}

void describe_board(NvmlApi& api) {
  api.pci = [](void*, NvmlPci* pci) {
    std::strcpy(pci->bus_id_legacy, "0000:0F:00.0");
    std::strcpy(pci->bus_id, "00000000:0F:00.0");
    return kNvmlSuccess;
  };
  api.vbios = [](void*, char* text, unsigned size) {
    return std::snprintf(text, size, "96.00.99.00.01"), kNvmlSuccess;
  };
  api.enforced_power_limit = says<600'000>;
  api.power_limit = says<650'000>;
  api.default_power_limit = says<700'000>;
  api.power_limits = [](void*, unsigned* min, unsigned* max) { return *min = 200'000, *max = 700'000, kNvmlSuccess; };
  api.max_clock = [](void*, int which, unsigned* mhz) { return h200_clock(1980, which, mhz); };
  api.temperature_threshold = [](void*, int which, unsigned* c) {
    return which == 1 ? (*c = 92, kNvmlSuccess) : kNotSupported;
  };
  api.ecc = [](void*, int* current, int* pending) { return *current = 1, *pending = 0, kNvmlSuccess; };
  api.mig = [](void*, unsigned* current, unsigned* pending) { return *current = 0, *pending = 1, kNvmlSuccess; };
  api.persistence = [](void*, int* mode) { return *mode = 1, kNvmlSuccess; };
  api.pcie_generation = says<1>;
  api.pcie_width = says<16>;
  api.max_pcie_generation = says<5>;
  api.max_pcie_width = says<16>;
  // The last link is down, and beyond 18 there is none.
  api.nvlink = [](void*, unsigned link, int* active) {
    return link < 18 ? (*active = link < 17 ? 1 : 0, kNvmlSuccess) : kNotSupported;
  };
  api.memory_affinity = [](void*, unsigned words, unsigned long* nodes, unsigned) {
    return words > 0 ? (nodes[0] = 2, kNvmlSuccess) : kNotSupported;
  };
  api.cpu_affinity = [](void*, unsigned words, unsigned long* cpus) {
    return words > 1 ? (cpus[0] = 0xF0000000000000F5, cpus[1] = 0x3, kNvmlSuccess) : kNotSupported;
  };
}

void describe_state(NvmlApi& api) {
  api.clock = [](void*, int which, unsigned* mhz) { return h200_clock(1755, which, mhz); };
  api.power = says<540'300>;
  api.temperature = [](void*, NvmlTemperature* reading) {
    const bool version_1 = reading->version == 0x0100000C && reading->sensor == 0;
    return version_1 ? (reading->temperature_c = 61, kNvmlSuccess) : kNotSupported;
  };
  api.old_temperature = [](void*, int, unsigned* c) { return *c = 60, kNvmlSuccess; };
  api.utilization = [](void*, NvmlUtilization* percent) { return *percent = {97, 0}, kNvmlSuccess; };
  api.clock_events = [](void*, unsigned long long* reasons) { return *reasons = 0x24, kNvmlSuccess; };
  api.fields = fields;
}

}  // namespace

NvmlApi fake_nvml() {
  NvmlApi api;
  api.init = [] { return kNvmlSuccess; };
  api.device_by_uuid = [](const char*, void** device) { return *device = nullptr, kNvmlSuccess; };
  describe_board(api);
  describe_state(api);
  return api;
}

}  // namespace kerntune::cuda
