// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <kerntune/core/rejection.hpp>

#include "measure/compare.hpp"
#include "reference.hpp"

namespace kerntune::cuda {

struct BufferComparison {
  OutputComparison found;
  std::optional<Rejection> rejection;  // wrong_result or unwritten_output, with the first element and its values
};

/// Compares an output of type and size `plan` at `got` with what was expected. `poison` is what an unwritten element
/// holds. Errors: Rejected if the comparison itself fails.
BufferComparison compare(const ReferenceSite& site, const BufferPlan& plan, CUdeviceptr got, CUdeviceptr expected,
                         const SpecProgram::Limits& limits, std::uint64_t poison);

}  // namespace kerntune::cuda
