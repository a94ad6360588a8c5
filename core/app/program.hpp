// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kerntune::app {

/// The kerntune program behind main(): finds the verb, parses, runs, reports errors. Returns the exit code.
int run_program(int argc, char** argv);

}  // namespace kerntune::app
