// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <kerntune/search/param_space.hpp>

namespace kerntune::search::detail {

/// ParamSpace::text and ParamSpace::parse.
std::string config_text(std::span<const Param> params, const Config& config);
Config parse_config(std::span<const Param> params, std::string_view text, const Config* rest = nullptr);

}  // namespace kerntune::search::detail
