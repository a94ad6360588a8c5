// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kerntune/core/spec_program.hpp>

#include "context.hpp"

namespace kerntune::cuda {

/// A descriptor for the tensor memory accelerator (compute capability 9.0 and newer) over memory at `address`.
/// Errors: Rejected: unsupported without the hardware or driver, launch_error if the driver refuses the shape.
CUtensorMap encode_tensor_map(Context& context, const ArgPlan::TensorMap& plan, CUdeviceptr address,
                              const std::string& entry);

}  // namespace kerntune::cuda
