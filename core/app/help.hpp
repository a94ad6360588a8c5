// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace kerntune::app {

/// The page of one verb.
std::string verb_help(const Verb& verb, const report::Style& style);
/// The list of verbs.
std::string program_help(const std::vector<Verb>& verbs, const report::Style& style);
/// docs/cli.md: every verb's page as Markdown. tests compare the file with it.
std::string reference_page(const std::vector<Verb>& verbs);

}  // namespace kerntune::app
