// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <kerntune/core/plugin_host.hpp>

namespace kerntune {
namespace {

namespace fs = std::filesystem;

/// Entries between colons. An empty one, which other tools read as the current directory, means nothing here.
void add_from_environment(std::vector<std::string>& folders) {
  const char* const variable = std::getenv("KERNTUNE_PLUGIN_PATH");
  std::string_view rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(':'));
    if (!entry.empty()) folders.emplace_back(entry);
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
  }
}

/// In a build tree the program lies a few folders below CMakeCache.txt, and the plugins beside that.
void add_build_tree(const fs::path& program, std::vector<std::string>& folders) {
  std::error_code ignored;
  fs::path folder = program.parent_path();
  for (int level = 0; level < 4 && folder.has_relative_path(); ++level, folder = folder.parent_path()) {
    if (!fs::exists(folder / "CMakeCache.txt", ignored)) continue;
    folders.push_back((folder / "plugins").string());
    return;
  }
}

}  // namespace

std::vector<std::string> plugin_search_path() {
  std::vector<std::string> folders;
  add_from_environment(folders);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return folders;
  folders.push_back((program.parent_path().parent_path() / "lib/kerntune/plugins").string());
  add_build_tree(program, folders);
  return folders;
}

}  // namespace kerntune
