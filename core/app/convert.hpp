// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <kerntune/core/spec_program.hpp>
#include <kerntune/core/tuner.hpp>

#include "command.hpp"

namespace kerntune::app {

/// Converts one word into the option's target, or appends it to a list. `where` starts the message: "tune --seed".
/// Errors: UsageError (what was expected, what was found).
void convert(const std::string& where, const Option& option, const std::string& word);

std::vector<std::string> split(std::string_view text, char separator);
std::int64_t parse_integer(const std::string& where, std::string_view text);
double parse_real(const std::string& where, std::string_view text);

/// Above 0 and at most three years, so that no clock overflows. Errors: UsageError.
void check_seconds(const std::string& where, double seconds);

/// "1,8,64" -> {1, 8, 64}: positive, ascending, without repetitions.
std::vector<std::int64_t> parse_batches(const std::string& where, std::string_view text);
/// {"k=4096", "n=1024"} (each may hold several, separated by commas) -> dims.
Dims parse_dims(const std::string& where, const std::vector<std::string>& words);
/// "200" -> evaluations; "90s", "5m", "1h" -> seconds (see check_seconds); "200,5m" -> whichever comes first.
Budget parse_budget(const std::string& where, std::string_view text);

}  // namespace kerntune::app
