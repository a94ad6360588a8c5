// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kerntune::cuda {

/// A source file that was put into the program when it was built ("engine_kernels.cu"); empty if there is none of this
/// name.
std::string_view embedded_text(std::string_view name);

}  // namespace kerntune::cuda
