// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kerntune {

/// The candidate with the smallest edit distance to `name` (the first of equals); empty if none is close enough to be a
/// slip of the finger (more than a third of the letters differ).
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

/// "; did you mean 'values'?" or, without a near one, "; known are a, b, c".
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);

/// The `count` candidates with the smallest edit distances, nearest first, however far they are.
std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> candidates,
                                       std::size_t count);

}  // namespace kerntune
