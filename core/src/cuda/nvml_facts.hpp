// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <kerntune/core/gpu_facts.hpp>

#include "nvml_api.hpp"

namespace kerntune::cuda {

/// What NVML knows of the GPU with this UUID ("GPU-<uuid>", as in DeviceInfo). Nothing if it does not know the GPU or
/// no fact of it; no error. Up to forty
/// questions to the driver for the board, some fifteen for the state.
std::optional<BoardFacts> board_facts(const NvmlApi& api, const std::string& uuid);
std::optional<GpuState> gpu_state(const NvmlApi& api, const std::string& uuid);

}  // namespace kerntune::cuda
