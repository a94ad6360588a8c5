// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kerntune::app {

/// The known names that `word` may have meant, nearest first: at most three, within a third of its length in edits
/// (Damerau-Levenshtein, adjacent transpositions count one) or having it as a prefix.
std::vector<std::string> near_names(std::string_view word, const std::vector<std::string>& known);

/// " (did you mean 'tune' or 'run'?)" or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace kerntune::app
