// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include <kerntune/core/spec_program.hpp>

namespace kerntune {

/// A device that a plugin is checked against without being there.
struct RepresentativeDevice {
  std::string_view name;  // "NVIDIA H200"
  DeviceProperties properties;
};

/// V100, A100, H100, H200, B200: their limits as the CUDA C++ Programming Guide states them per compute capability
/// ("Technical Specifications per Compute Capability"), SM counts and L2 sizes as NVIDIA's architecture white papers do
/// for the SXM boards.
std::span<const RepresentativeDevice> representative_devices() noexcept;

}  // namespace kerntune
