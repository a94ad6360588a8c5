// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/search/param_space.hpp>

namespace kerntune::report {

/// The space of a spec's parameters and constraints. Errors: SpaceError.
inline search::ParamSpace space_of(const KernelSpec& spec) {
  std::vector<search::Param> params;
  params.reserve(spec.params.size());
  for (const ParamSpec& param : spec.params) params.push_back({param.name, param.values});
  return search::ParamSpace::build(std::move(params), spec.constraints);
}

}  // namespace kerntune::report
