// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda/nvml_api.hpp"

namespace kerntune::cuda {

constexpr int kNotSupported = 3, kNotFound = 6, kGpuIsLost = 15;  // nvmlReturn_t

/// An H200 as NVML describes it, under any UUID.
NvmlApi fake_nvml();

}  // namespace kerntune::cuda
