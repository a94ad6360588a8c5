// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kerntune/search/strategy.hpp>

namespace kerntune::search::detail {

std::unique_ptr<Strategy> make_exhaustive(ParamSpace space, std::uint64_t seed);
std::unique_ptr<Strategy> make_random(ParamSpace space, std::uint64_t seed);
std::unique_ptr<Strategy> make_local(ParamSpace space, std::uint64_t seed);
std::unique_ptr<Strategy> make_model(ParamSpace space, std::uint64_t seed);

}  // namespace kerntune::search::detail
