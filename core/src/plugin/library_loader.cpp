// SPDX-License-Identifier: Apache-2.0
#include "library_loader.hpp"

#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#define BOOST_DLL_USE_STD_FS
#include <fmt/format.h>
#include <boost/dll/shared_library.hpp>

#include <kerntune/core/errors.hpp>

namespace kerntune {
namespace {

/// Every library that was ever loaded, never destroyed: their destructors would unload them.
void keep_for_ever(boost::dll::shared_library library) {
  static std::mutex mutex;
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): leaked on purpose, see above
  static auto& libraries = *new std::vector<boost::dll::shared_library>;
  const std::scoped_lock lock(mutex);
  libraries.push_back(std::move(library));
}

}  // namespace

LoadedLibrary load_library(const std::string& path) {
  using boost::dll::load_mode::rtld_local;
  using boost::dll::load_mode::rtld_now;
  try {
    boost::dll::shared_library library(path, rtld_now | rtld_local);
    LoadedLibrary loaded{.handle = library.native(),
                         .entry = &library.get<const kerntune_plugin*() noexcept>(KERNTUNE_ENTRY_SYMBOL)};
    keep_for_ever(std::move(library));
    return loaded;
  } catch (const std::system_error& e) {
    throw PluginError(
        path, fmt::format("open plugin '{}': the system cannot load it: {}; install or rebuild what is missing", path,
                          e.what()));
  }
}

}  // namespace kerntune
