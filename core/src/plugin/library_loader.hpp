// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kerntune/plugin/abi.h>

namespace kerntune {

/// A shared object in this process, for as long as the process lives.
struct LoadedLibrary {
  void* handle = nullptr;  // the same for the same file
  decltype(&kerntune_plugin_entry_v1) entry = nullptr;
};

/// Loads `path` (absolute) with RTLD_NOW | RTLD_LOCAL and finds the entry. Runs the library's constructors.
/// Never RTLD_DEEPBIND: AddressSanitizer refuses it, and it lets a plugin's malloc differ from its libraries'.
/// Never unloads: pointers into a plugin stay valid, and whether dlclose unloads at all is up to stray unique symbols.
/// Errors: PluginError with the loader's own text (missing dependency, undefined symbol).
LoadedLibrary load_library(const std::string& path);

}  // namespace kerntune
