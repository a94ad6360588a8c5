// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <kerntune/core/gpu_facts.hpp>

namespace kerntune {

/// Why the times taken between the first and the last of these are not the GPU's own: heat or the hardware's protection
/// held its clocks down. "its clocks were held down by hw_thermal_slowdown (1.2 s, at up to 91 C)"; empty: they did
/// not.
std::string slowed_down(const GpuSnapshots& snapshots);

/// "the power limit of 700 W held the clocks down (12.1 s)"; empty: it did not. No fault: it is how such a GPU runs.
std::string power_capped(const GpuSnapshots& snapshots, const std::optional<BoardFacts>& board);

/// What a person should know of this GPU before comparing its times with another's, a sentence each: PCIe below its
/// maximum throughout, a power limit below the default, MIG, ECC off, nearly too hot. Empty for a GPU as it should be.
std::vector<std::string> unusual(const BoardFacts& board, const GpuSnapshots& snapshots);

}  // namespace kerntune
