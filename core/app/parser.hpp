// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace kerntune::app {

/// What was asked for beside the verb's own options, which go to their targets.
struct Invocation {
  bool help = false;
  bool json = false;
};

/// Parses the words after the verb. `--help` wins over whatever else is wrong.
/// Errors: UsageError naming the word, what was expected and the nearest known name.
Invocation parse(const Verb& verb, const std::vector<std::string>& words);

/// The options that every verb has, for the help.
std::vector<Option> common_options(Invocation& invocation);

/// The names of an option: {"-o", "--output"}.
std::vector<std::string> names_of(const Option& option);
bool is_positional(const Option& option);

}  // namespace kerntune::app
