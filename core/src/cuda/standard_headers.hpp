// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <kerntune/core/compile.hpp>

namespace kerntune::cuda {

/// Stand-ins for the C headers that a job includes but does not bring along, as NVRTC takes headers (name, text). NVRTC
/// has no <stdint.h> and the like, and kernels written for nvcc include them; most of what they declare it knows
/// anyway. Covers stdint.h stddef.h limits.h float.h math.h string.h stdio.h stdlib.h assert.h and their C++ names.
std::vector<std::pair<std::string, std::string>> standard_headers_for(const CompileJob& job);

}  // namespace kerntune::cuda
