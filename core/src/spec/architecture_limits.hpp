// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include <kerntune/core/spec_program.hpp>

namespace kerntune {

/// What an architecture allows, without a device of it: 7.0 (CUDA 12 only), 7.5, 8.0, 8.6, 8.9, 9.0, 10.0 and 12.0.
/// What differs between boards of one architecture, sm_count and l2_bytes, is 0. Nothing for other numbers: a limit is
/// never guessed.
std::optional<DeviceProperties> architecture_limits(int compute_capability) noexcept;

/// The compute capabilities that it knows, ascending: 70, 75, ...
std::span<const int> known_architectures() noexcept;

}  // namespace kerntune
