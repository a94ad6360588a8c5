// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

/// Path of a fixture plugin: they lie in "fixtures" beside the test program.
inline std::string fixture(const std::string& name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fixtures" / name).string();
}

/// A folder of this test's own, removed at the end.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kerntune_plugin_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};
