// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kerntune {

/// What NVML says of a GPU's board, and that no run changes; read when the device is opened or listed. kerntune reads
/// it and never sets any of it. A fact is absent if the driver, a virtual GPU or a container does not tell it.
struct BoardFacts {
  std::optional<std::string> pci_bus_id;  // "00000000:0F:00.0"
  std::optional<std::string> vbios;
  std::optional<std::int64_t> power_limit_mw;  // that holds now, whoever set it
  std::optional<std::int64_t> power_limit_default_mw;
  std::optional<std::int64_t> power_limit_min_mw, power_limit_max_mw;  // what it may be set to
  std::optional<std::int64_t> sm_clock_max_mhz, memory_clock_max_mhz;
  std::optional<std::int64_t> temperature_slowdown_c;  // where the hardware slows down
  std::optional<bool> ecc, mig, persistence_mode;      // mig: also true on an instance of a partitioned GPU
  /// A link that is idle may run slower than it can: see GpuState for it under load. The maximum is that of the GPU in
  /// this slot.
  std::optional<std::int64_t> pcie_generation, pcie_generation_max, pcie_width, pcie_width_max;
  std::optional<std::int64_t> nvlinks_active;
  std::optional<std::string> numa_nodes, cpu_affinity;  // nearest to the GPU, as Linux writes lists: "0-31,64-95"
  bool operator==(const BoardFacts&) const = default;
};

/// Why a GPU's clocks are not higher: NVML's clocks event reasons, called throttle reasons before driver 535.
struct ClockEvents {
  enum Bit : std::uint64_t {
    gpu_idle = 0x1,
    applications_clocks_setting = 0x2,
    sw_power_cap = 0x4,
    hw_slowdown = 0x8,  // temperature, power brake or a surge; for a moment also when clocks change
    sync_boost = 0x10,
    sw_thermal_slowdown = 0x20,
    hw_thermal_slowdown = 0x40,
    hw_power_brake_slowdown = 0x80,
    display_clock_setting = 0x100,
  };
  std::uint64_t bits = 0;
  bool has(Bit bit) const noexcept { return (bits & bit) != 0; }
  bool operator==(const ClockEvents&) const = default;
};
/// "sw_power_cap", ...; a bit without a name is "0x200".
std::vector<std::string> names_of(ClockEvents events);
/// The other way. A name that is not known is left out.
ClockEvents clock_events_from(const std::vector<std::string>& names);

/// What NVML says of a GPU at one moment. Facts may be absent as those of the board. Of a partitioned GPU (MIG) it is
/// the whole board's.
struct GpuState {
  std::optional<std::int64_t> sm_clock_mhz, memory_clock_mhz;
  std::optional<std::int64_t> power_mw;  // since about Ampere the mean of the last second
  std::optional<std::int64_t> temperature_c;
  std::optional<std::int64_t> gpu_utilization_pct, memory_utilization_pct;  // of the last sampling period, up to 1 s
  std::optional<ClockEvents> clock_event_reasons;                           // at this moment
  /// How long each reason has held the clocks down since the driver was loaded. What grew between two moments says what
  /// happened in between, which the reasons at the moments do not.
  std::optional<std::int64_t> sw_power_cap_ns, sw_thermal_slowdown_ns, hw_thermal_slowdown_ns,
      hw_power_brake_slowdown_ns;
  std::optional<std::int64_t> pcie_generation, pcie_width;
  bool operator==(const GpuState&) const = default;
};

/// A state and when it was taken: "session" (buffers and reference are made, nothing was timed), "restart" (the same,
/// by a device worker that replaced another), "search" (its last configuration was measured), "final" (its last round
/// was).
struct GpuSnapshot {
  std::string at;
  GpuState state;
  bool operator==(const GpuSnapshot&) const = default;
};
using GpuSnapshots = std::vector<GpuSnapshot>;  // in order

}  // namespace kerntune
