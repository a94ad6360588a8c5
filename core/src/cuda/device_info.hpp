// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <kerntune/core/device.hpp>

#include "context.hpp"

namespace kerntune::cuda {

/// What makes two GPUs the same hardware for the purpose of tuning. No marketing name, serial number, driver or clock
/// setting.
struct ClassFacts {
  int compute_capability = 0;  // 90
  int sm_count = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t shared_per_block_optin = 0;
  std::int64_t registers_per_sm = 0;
  int bus_bits = 0;
  int memory_clock_khz = 0;
  std::uint64_t memory_bytes = 0;
};

/// "cuda-sm90-132sm-l2:62914560-smem:232448-regs:65536-bus:6144-memclk:3201-mem:144": memory clock in MHz; memory in
/// GiB, rounded up to 8, because what the driver keeps for itself varies. A MIG slice is a class of its own through its
/// SM count.
std::string class_key(const ClassFacts& facts);

/// Single-precision multiply-adds that one SM issues per clock, from the CUDA C++ Programming Guide's table of
/// arithmetic throughput; 0 for an architecture that it does not list.
int fp32_lanes_per_sm(int compute_capability) noexcept;

/// Asks the driver about device `ordinal`; needs cuInit only, makes no context. peak_bytes_per_s is 0.
/// Errors: DeviceError.
DeviceInfo describe_device(const DriverApi& api, int ordinal);

/// Bytes per second that a large device-to-device copy reads and writes, the best of a few; 0 if there is no memory for
/// it. Takes some milliseconds.
double measure_copy_bandwidth(Context& context, std::uint64_t memory_bytes);

}  // namespace kerntune::cuda
