// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <kerntune/core/spec_program.hpp>

namespace kerntune {

/// Why no kernel whatever can be launched so on a device: threads, shared memory, clusters, cooperative blocks. Nothing
/// if it can, as far as is known before compiling. The text names neither the entry nor the configuration.
std::optional<std::string> beyond_limits(const LaunchPlan& launch, const DeviceProperties& device);

/// Why the blocks per multiprocessor that a configuration asks __launch_bounds__ for cannot be resident together: ptxas
/// would drop the request with a warning, and what runs would not be the configuration.
std::optional<std::string> beyond_limits(const CompilePlan& plan, const DeviceProperties& device);

}  // namespace kerntune
