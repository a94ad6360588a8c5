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

/// V100, A100, H100, H200, B200: limits of their architectures (spec/architecture_limits.hpp), SM counts and L2 sizes
/// as NVIDIA's architecture white papers state them for the SXM boards.
std::span<const RepresentativeDevice> representative_devices();

}  // namespace kerntune
