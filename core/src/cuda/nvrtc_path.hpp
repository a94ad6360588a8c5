// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kerntune::cuda {

/// Absolute path of the NVRTC library that this process has loaded; empty if there is none.
std::string nvrtc_path();

}  // namespace kerntune::cuda
