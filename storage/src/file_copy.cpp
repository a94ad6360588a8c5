// SPDX-License-Identifier: Apache-2.0
#include "file_copy.hpp"

#include <sys/stat.h>

#include <fstream>
#include <tuple>

namespace kerntune::storage {
namespace {

constexpr int kAttempts = 3;

/// What changes when a file does; all zero if there is none.
struct Version {
  dev_t device = 0;
  ino_t inode = 0;
  off_t bytes = 0;
  std::int64_t seconds = 0, nanoseconds = 0;
  bool operator==(const Version&) const = default;
};

Version version_of(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

std::optional<std::vector<std::byte>> read_file(const std::string& path, const Version& version,
                                                std::uint64_t max_bytes) {
  std::vector<std::byte> content;
  if (version.bytes == 0) return content;
  if (static_cast<std::uint64_t>(version.bytes) > max_bytes) return std::nullopt;
  content.resize(static_cast<std::size_t>(version.bytes));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(content.size()));
  if (!file) return std::nullopt;
  return content;
}

}  // namespace

std::optional<FileCopy> copy_with_journal(const std::string& path, std::uint64_t max_bytes) {
  const std::string journal_path = path + "-journal";
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Version database = version_of(path);
    const Version journal = version_of(journal_path);
    auto journal_bytes = read_file(journal_path, journal, max_bytes);
    auto database_bytes = read_file(path, database, max_bytes);
    if (!journal_bytes || !database_bytes) continue;
    if (version_of(path) != database || version_of(journal_path) != journal) continue;
    return FileCopy{std::move(*database_bytes), std::move(*journal_bytes)};
  }
  return std::nullopt;
}

}  // namespace kerntune::storage
