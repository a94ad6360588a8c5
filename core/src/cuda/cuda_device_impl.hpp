// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kerntune/core/device.hpp>

#include "driver_api.hpp"
#include "nvml_api.hpp"

namespace kerntune::cuda {

/// Makes the engine's kernels for an architecture: compile_engine_kernels, or a stand-in with a fake driver.
using EngineCompiler = std::function<CompiledModule(const std::string& arch)>;

/// open_cuda_device and list_cuda_devices over any driver. Borrow the tables; without NVML nothing is known of other
/// users of the device, of its board and its state. Errors as theirs.
std::unique_ptr<Device> open_device(const DriverApi& api, int ordinal, const EngineCompiler& compile_engine,
                                    const NvmlApi* nvml = nullptr);
std::vector<DeviceInfo> list_devices(const DriverApi& api, std::vector<std::string>& unavailable,
                                     const NvmlApi* nvml = nullptr);

}  // namespace kerntune::cuda
