// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kerntune::app {

/// How a child of this program ended and what it reported.
struct ChildResult {
  std::string output;  // what it wrote to its report descriptor
  std::string
      ending;  // "" for exit 0 to 4, else "was killed by signal 11 (Segmentation fault)", "exited with code 77", ...
  int exit_code = 0;  // meaningful if ending is empty
};

/// The descriptor on which a child reports; its stdout and stderr stay free for whatever a plugin prints.
inline constexpr int kReportDescriptor = 3;

/// Starts this executable again with `arguments`, its stdout sent to stderr, and waits at most `timeout_s` seconds;
/// then it is killed. Errors: Error if it cannot be started.
ChildResult run_self(const std::vector<std::string>& arguments, double timeout_s);

}  // namespace kerntune::app
