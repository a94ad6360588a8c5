// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/report.hpp>

namespace kerntune::report {

std::string tune_html(const TuneReport& report, const std::string& command) {
  (void)command;
  return "<!doctype html><title>" + report.kernel + "</title>\n";
}

}  // namespace kerntune::report
