// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kerntune/core/device.hpp>

namespace kerntune {

/// Opens "cuda:ordinal": retains the device's primary context, makes it current on this thread, compiles the engine's
/// own kernels (through the cubin cache) and measures the copy bandwidth. Exists in builds without CUDA, where it
/// throws. Errors: DeviceError (no driver, no such device, no NVRTC, out of memory).
std::unique_ptr<Device> open_cuda_device(int ordinal);

/// Every CUDA device of the machine, without creating a context; peak_bytes_per_s is 0. Adds one sentence to
/// `unavailable` for each thing that is missing. Never throws for a missing driver, device or compiler.
std::vector<DeviceInfo> list_cuda_devices(std::vector<std::string>& unavailable);

/// Whether hardware counters can be had on a listed device, without creating a context or trying. Never throws.
CounterAccess cuda_counter_access(const DeviceInfo& device);

}  // namespace kerntune
