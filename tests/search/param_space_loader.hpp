// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kerntune/search/param_space.hpp>

namespace kerntune::search {

struct SpaceDefinition {
  std::vector<Param> params;
  std::vector<std::string> constraints;
};

/// Reads tests/data/spaces/<name>.json. Errors: std::runtime_error.
SpaceDefinition load_space_definition(const std::string& name);

}  // namespace kerntune::search
