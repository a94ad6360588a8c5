// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <kerntune/core/report.hpp>

namespace kerntune::report {

/// What is known of a board as pairs of a short name and a text, for the terminal and the page.
std::vector<std::pair<std::string, std::string>> board_lines(const BoardFacts& board);
/// "1980 MHz, memory 3201 MHz, 540 W, 62 °C, sw_power_cap"; without what is not known.
std::string state_text(const GpuState& state);

}  // namespace kerntune::report
