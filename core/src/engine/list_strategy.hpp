// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kerntune/search/strategy.hpp>

namespace kerntune {

/// Proposes given configurations in the given order. What is observed beforehand is left out.
std::unique_ptr<search::Strategy> make_list_strategy(std::vector<search::Config> configs);

/// The configurations that a request asks for by name, or the whole space, in the order of `order_seed` (none: as
/// given). Errors: UsageError for a text that is no configuration of the space, or a space too large to be listed.
std::vector<search::Config> listed_configs(const search::ParamSpace& space, const std::vector<std::string>& texts,
                                           std::optional<std::uint64_t> order_seed);

}  // namespace kerntune
