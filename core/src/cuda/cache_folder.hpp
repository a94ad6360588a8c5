// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kerntune::cuda {

/// Files by key in one folder, written atomically (temporary file, fsync, rename), so that a file is whole or absent.
/// Many processes, on many machines, may share a folder. Contents are the caller's to check: disks fail.
class CacheFolder {
 public:
  /// Creates the folder if needed. One that cannot be written leaves a cache that only reads, and says so in warning().
  /// `keeps`: what is lost then, for the message: "compiled kernels".
  CacheFolder(std::string folder, std::string suffix, std::string keeps);
  /// $KERNTUNE_CACHE_DIR/NAME, else $XDG_CACHE_HOME/kerntune/NAME, else ~/.cache/kerntune/NAME.
  static std::string default_folder(const std::string& name);

  std::optional<std::string> load(const std::string& key) const;
  void store(const std::string& key, std::string_view bytes);
  const std::string& folder() const noexcept { return folder_; }
  const std::string& warning() const noexcept { return warning_; }

 private:
  std::string folder_, suffix_, keeps_, warning_;
};

}  // namespace kerntune::cuda
