// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kerntune/core/spec_program.hpp>
#include <kerntune/core/tuner.hpp>
#include <kerntune/search/strategy.hpp>

namespace kerntune {

/// The strategy that a request names: a list of its own, or one of search's. Errors: UsageError, SpaceError.
std::unique_ptr<search::Strategy> strategy_for(const TuneRequest& request, const SpecProgram& program);

/// Proposes given configurations in the given order. What is observed beforehand is left out.
std::unique_ptr<search::Strategy> make_list_strategy(std::vector<search::Config> configs);

/// The configurations that a request asks for by name, or the whole space, in the order of `order_seed` (none: as
/// given). Parameters that a text leaves out take the default's value. Errors: UsageError for a text that is no
/// configuration of the space, or a space too large to be listed.
std::vector<search::Config> listed_configs(const SpecProgram& program, const std::vector<std::string>& texts,
                                           std::optional<std::uint64_t> order_seed);

}  // namespace kerntune
