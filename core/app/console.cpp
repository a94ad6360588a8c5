// SPDX-License-Identifier: Apache-2.0
#include "console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>

namespace kerntune::app {
namespace {

std::string_view terminal_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// Files and pipes have no width; tables should stay tables there.
constexpr int kFileWidth = 160;

int width_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const int columns = std::atoi(std::string(terminal_variable("COLUMNS")).c_str());
  return columns > 0 ? columns : kFileWidth;
}

/// ASCII only where the locale is known to be something else; a missing locale is common in containers, whose logs are
/// UTF-8.
bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = terminal_variable(name);
    if (value.empty()) continue;
    const bool ascii = value == "POSIX" || value.find("8859") != std::string_view::npos;
    return !ascii;
  }
  return true;
}

report::Style style_of(int descriptor, bool terminal) {
  const bool plain = !terminal_variable("NO_COLOR").empty() || terminal_variable("TERM") == "dumb";
  return {.colour = terminal && !plain, .utf8 = utf8_locale(), .width = width_of(descriptor)};
}

}  // namespace

Console make_console() {
  Console console;
  console.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  console.err_is_terminal = isatty(STDERR_FILENO) == 1;
  console.out = style_of(STDOUT_FILENO, console.out_is_terminal);
  console.err = style_of(STDERR_FILENO, console.err_is_terminal);
  return console;
}

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) throw Error(fmt::format("write the result to stdout: {}", std::strerror(errno)));
}

void say(const std::string& text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace kerntune::app
