// SPDX-License-Identifier: Apache-2.0
#include "library_loader.hpp"

#include <system_error>
#include <vector>

#define BOOST_DLL_USE_STD_FS
#include <fmt/format.h>
#include <boost/dll/shared_library.hpp>

#include <kerntune/core/errors.hpp>

namespace kerntune {

LoadedLibrary load_library(const std::string& path) {
  using boost::dll::load_mode::rtld_local;
  using boost::dll::load_mode::rtld_now;
  try {
    // Leaked on purpose, so that nothing can unload it.
    auto* const library = new boost::dll::shared_library(path, rtld_now | rtld_local);
    auto& entry = library->get<const kerntune_plugin*() noexcept>(KERNTUNE_ENTRY_SYMBOL);
    return {.handle = library->native(), .entry = &entry};
  } catch (const std::system_error& e) {
    throw PluginError(
        path, fmt::format("open plugin '{}': the system cannot load it: {}; install or rebuild what is missing", path,
                          e.what()));
  }
}

}  // namespace kerntune
