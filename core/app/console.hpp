// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

namespace kerntune::app {

/// Looks at the terminals, NO_COLOR, TERM, COLUMNS and the locale.
Console make_console();

}  // namespace kerntune::app
