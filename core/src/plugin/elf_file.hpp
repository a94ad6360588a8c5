// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace kerntune {

/// What a plugin's file says about itself before any of its code runs.
struct ElfFacts {
  std::vector<std::string>
      exported;          // dynamic symbols that it defines, sorted, unique; without the linker's own (_end ...)
  std::string build_id;  // hex; empty if there is none
};

/// The file cannot be a plugin; the message says what was expected and found, to be completed with the file's name.
class ElfError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a 64-bit shared object for this machine. Every offset and size in the file is checked against its length, so a
/// truncated or corrupt file is an error, never a crash.
/// Source: System V ABI, chapters 4 and 5 (object files, notes), and the GNU build-id note.
/// Errors: ElfError (not a regular file, unreadable, not ELF, another machine, no dynamic symbols).
ElfFacts read_elf(const std::string& path);

}  // namespace kerntune
