// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace kerntune::testing {

/// A folder of its own, removed at the end. On a RAM disk if there is one: these tests are about order, not about
/// disks.
class TempDir {
 public:
  TempDir() {
    const std::filesystem::path ram = "/dev/shm";
    std::string name =
        (std::filesystem::exists(ram) ? ram : std::filesystem::temp_directory_path()) / "kerntune-XXXXXX";
    if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary folder");
    path_ = name;
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kerntune::testing
