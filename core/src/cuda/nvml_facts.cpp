// SPDX-License-Identifier: Apache-2.0
#include "nvml_facts.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <span>

#include <fmt/format.h>

namespace kerntune::cuda {
namespace {

using Number = std::optional<std::int64_t>;

// nvmlClockType_t, nvmlTemperatureSensors_t, nvmlTemperatureThresholds_t, nvmlAffinityScope_t, NVML_NVLINK_MAX_LINKS
constexpr int kSmClock = 1, kMemoryClock = 2, kGpuSensor = 0, kSlowdownThreshold = 1;
constexpr unsigned kNodeScope = 0, kMostLinks = 18;

// NVML_FI_DEV_CLOCKS_EVENT_REASON_*: nanoseconds
constexpr unsigned kSwPowerCap = 74, kSwThermal = 251, kHwThermal = 252, kHwPowerBrake = 253;

/// A driver that does not know a number may say so with 0 or with all bits set. Only for what is never 0.
Number positive(unsigned value) {
  if (value == 0 || value == UINT_MAX) return std::nullopt;
  return value;
}

Number number(NvmlApi::Number function, void* device) {
  unsigned value = 0;
  if (function == nullptr || function(device, &value) != kNvmlSuccess) return std::nullopt;
  return positive(value);
}

Number number(NvmlApi::NumberOf function, void* device, int which) {
  unsigned value = 0;
  if (function == nullptr || function(device, which, &value) != kNvmlSuccess) return std::nullopt;
  return positive(value);
}

std::optional<std::string> text(std::span<const char> characters) {
  const std::string found(characters.begin(), std::find(characters.begin(), characters.end(), '\0'));
  return found.empty() ? std::nullopt : std::optional(found);
}

std::optional<std::string> pci_bus_id(const NvmlApi& api, void* board) {
  NvmlPci pci{};
  if (api.pci == nullptr || api.pci(board, &pci) != kNvmlSuccess) return std::nullopt;
  return text(pci.bus_id);
}

std::optional<std::string> vbios(const NvmlApi& api, void* board) {
  std::array<char, 64> version{};
  if (api.vbios == nullptr || api.vbios(board, version.data(), version.size()) != kNvmlSuccess) return std::nullopt;
  return text(version);
}

void read_power_limits(const NvmlApi& api, void* board, BoardFacts& facts) {
  facts.power_limit_mw = number(api.enforced_power_limit, board);
  if (!facts.power_limit_mw) facts.power_limit_mw = number(api.power_limit, board);
  facts.power_limit_default_mw = number(api.default_power_limit, board);
  unsigned min = 0, max = 0;
  if (api.power_limits == nullptr || api.power_limits(board, &min, &max) != kNvmlSuccess) return;
  facts.power_limit_min_mw = positive(min);
  facts.power_limit_max_mw = positive(max);
}

void read_modes(const NvmlApi& api, const NvmlDevice& found, BoardFacts& facts) {
  int on = 0, pending = 0;
  if (api.ecc != nullptr && api.ecc(found.board, &on, &pending) == kNvmlSuccess) facts.ecc = on != 0;
  if (api.persistence != nullptr && api.persistence(found.board, &on) == kNvmlSuccess) facts.persistence_mode = on != 0;
  unsigned mode = 0, mode_pending = 0;
  if (found.is_instance)
    facts.mig = true;
  else if (api.mig != nullptr && api.mig(found.board, &mode, &mode_pending) == kNvmlSuccess)
    facts.mig = mode != 0;
}

/// Links that a GPU does not have are errors; if all are, nothing is known.
Number active_nvlinks(const NvmlApi& api, void* board) {
  Number links;
  if (api.nvlink == nullptr) return links;
  for (unsigned link = 0; link < kMostLinks; ++link) {
    int active = 0;
    if (api.nvlink(board, link, &active) != kNvmlSuccess) continue;
    links = links.value_or(0) + (active != 0 ? 1 : 0);
  }
  return links;
}

/// "0-31,64-95"; nothing if no bit is set.
std::optional<std::string> list_of(std::span<const unsigned long> words) {  // NOLINT(google-runtime-int)
  constexpr std::size_t kBits = sizeof(words[0]) * CHAR_BIT;
  const auto has = [&](std::size_t i) { return i < words.size() * kBits && (words[i / kBits] >> i % kBits & 1) != 0; };
  std::string list;
  for (std::size_t i = 0; i < words.size() * kBits; ++i) {
    if (!has(i)) continue;
    const std::size_t first = i;
    while (has(i + 1)) ++i;
    list += fmt::format("{}{}", list.empty() ? "" : ",", first);
    if (i > first) list += fmt::format("-{}", i);
  }
  return list.empty() ? std::nullopt : std::optional(list);
}

void read_locality(const NvmlApi& api, void* board, BoardFacts& facts) {
  std::array<unsigned long, 16> nodes{}, cpus{};  // NOLINT(google-runtime-int): the library's
  if (api.memory_affinity != nullptr &&
      api.memory_affinity(board, nodes.size(), nodes.data(), kNodeScope) == kNvmlSuccess)
    facts.numa_nodes = list_of(nodes);
  if (api.cpu_affinity != nullptr && api.cpu_affinity(board, cpus.size(), cpus.data()) == kNvmlSuccess)
    facts.cpu_affinity = list_of(cpus);
}

Number temperature(const NvmlApi& api, void* board) {
  NvmlTemperature reading{sizeof(NvmlTemperature) | 1U << 24, kGpuSensor, 0};
  if (api.temperature != nullptr && api.temperature(board, &reading) == kNvmlSuccess) return reading.temperature_c;
  unsigned value = 0;
  if (api.old_temperature == nullptr || api.old_temperature(board, kGpuSensor, &value) != kNvmlSuccess)
    return std::nullopt;
  return value;
}

Number whole(const NvmlField& field) {
  constexpr int kUnsigned = 1, kUnsignedLong = 2, kUnsignedLongLong = 3, kSignedLongLong = 4;  // nvmlValueType_t
  if (field.result != kNvmlSuccess) return std::nullopt;
  switch (field.type) {
    case kUnsigned:
      return field.value.whole;
    case kUnsignedLong:
      return static_cast<std::int64_t>(field.value.long_whole);
    case kUnsignedLongLong:
      return static_cast<std::int64_t>(field.value.long_long_whole);
    case kSignedLongLong:
      return field.value.signed_whole;
    default:
      return std::nullopt;
  }
}

void read_clock_events(const NvmlApi& api, void* board, GpuState& state) {
  unsigned long long bits = 0;
  if (api.clock_events != nullptr && api.clock_events(board, &bits) == kNvmlSuccess)
    state.clock_event_reasons = ClockEvents{bits};
  std::array<NvmlField, 4> fields{};
  const std::array ids{kSwPowerCap, kSwThermal, kHwThermal, kHwPowerBrake};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i].id = ids[i];
    fields[i].result = -1;  // one that is not answered is not known
  }
  if (api.fields == nullptr || api.fields(board, fields.size(), fields.data()) != kNvmlSuccess) return;
  state.sw_power_cap_ns = whole(fields[0]);
  state.sw_thermal_slowdown_ns = whole(fields[1]);
  state.hw_thermal_slowdown_ns = whole(fields[2]);
  state.hw_power_brake_slowdown_ns = whole(fields[3]);
}

template <class Facts>
std::optional<Facts> if_any(const Facts& facts) {
  return facts == Facts{} ? std::nullopt : std::optional(facts);
}

}  // namespace

std::optional<BoardFacts> board_facts(const NvmlApi& api, const std::string& uuid) {
  const auto found = find_nvml_device(api, uuid);
  if (!found) return std::nullopt;
  void* board = found->board;
  BoardFacts facts;
  facts.pci_bus_id = pci_bus_id(api, board);
  facts.vbios = vbios(api, board);
  read_power_limits(api, board, facts);
  facts.sm_clock_max_mhz = number(api.max_clock, board, kSmClock);
  facts.memory_clock_max_mhz = number(api.max_clock, board, kMemoryClock);
  facts.temperature_slowdown_c = number(api.temperature_threshold, board, kSlowdownThreshold);
  read_modes(api, *found, facts);
  facts.pcie_generation = number(api.pcie_generation, board);
  facts.pcie_generation_max = number(api.max_pcie_generation, board);
  facts.pcie_width = number(api.pcie_width, board);
  facts.pcie_width_max = number(api.max_pcie_width, board);
  facts.nvlinks_active = active_nvlinks(api, board);
  read_locality(api, board, facts);
  return if_any(facts);
}

std::optional<GpuState> gpu_state(const NvmlApi& api, const std::string& uuid) {
  const auto found = find_nvml_device(api, uuid);
  if (!found) return std::nullopt;
  void* board = found->board;
  GpuState state;
  state.sm_clock_mhz = number(api.clock, board, kSmClock);
  state.memory_clock_mhz = number(api.clock, board, kMemoryClock);
  state.power_mw = number(api.power, board);
  state.temperature_c = temperature(api, board);
  NvmlUtilization utilization{};
  if (api.utilization != nullptr && api.utilization(board, &utilization) == kNvmlSuccess) {
    state.gpu_utilization_pct = utilization.gpu;
    state.memory_utilization_pct = utilization.memory;
  }
  read_clock_events(api, board, state);
  state.pcie_generation = number(api.pcie_generation, board);
  state.pcie_width = number(api.pcie_width, board);
  return if_any(state);
}

}  // namespace kerntune::cuda
