// SPDX-License-Identifier: Apache-2.0
#include "file_probe.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "big_endian.hpp"

namespace kerntune::storage {
namespace {

// Offsets: https://www.sqlite.org/fileformat.html#the_database_header
constexpr std::size_t kDatabaseHeaderBytes = 100;
constexpr char kDatabaseMagic[] = "SQLite format 3";  // its terminating zero included
constexpr std::size_t kWriteVersion = 18, kReadVersion = 19, kUserVersion = 60, kApplicationIdAt = 68;
constexpr std::byte kWalVersion{2};

FileProbe found(FileKind kind, std::string problem) {
  return {.kind = kind, .bytes = 0, .schema = 0, .problem = std::move(problem)};
}

std::string newer_text(std::uint32_t schema) {
  return "schema " + std::to_string(schema) + " is newer than " + std::to_string(kSchemaVersion) +
         ", which this build understands; use the release that wrote it, or a later one";
}

}  // namespace

FileProbe probe_header(std::span<const std::byte> content) {
  if (content.empty()) return found(FileKind::empty, "the file is empty: no result has been stored in it");
  if (content.size() < kDatabaseHeaderBytes ||
      std::memcmp(content.data(), kDatabaseMagic, sizeof kDatabaseMagic) != 0) {
    return found(FileKind::not_sqlite, "not an SQLite database; it was left as it is, name another file");
  }
  if (big_endian(content.subspan(kApplicationIdAt)) != kApplicationId) {
    return found(FileKind::foreign, "an SQLite database of another program; it was left as it is, name another file");
  }
  const std::uint32_t schema = big_endian(content.subspan(kUserVersion));
  if (schema > static_cast<std::uint32_t>(kSchemaVersion)) return found(FileKind::newer, newer_text(schema));
  if (content[kWriteVersion] == kWalVersion || content[kReadVersion] == kWalVersion) {
    return found(FileKind::wal,
                 "switched to a write-ahead log, which kerntune does not use; switch it back with "
                 "`sqlite3 FILE 'PRAGMA journal_mode = DELETE'`");
  }
  return {.kind = FileKind::usable, .bytes = content.size(), .schema = schema, .problem = {}};
}

FileProbe probe_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return found(FileKind::missing, "no such file");
  if (error) return found(FileKind::unreadable, error.message());
  if (status.type() != std::filesystem::file_type::regular) return found(FileKind::unreadable, "not a regular file");
  std::array<std::byte, kDatabaseHeaderBytes> header;
  std::ifstream file(path, std::ios::binary);
  if (!file) return found(FileKind::unreadable, std::strerror(errno));
  file.read(reinterpret_cast<char*>(header.data()), header.size());
  FileProbe probe = probe_header(std::span(header).first(static_cast<std::size_t>(file.gcount())));
  probe.bytes = std::filesystem::file_size(path, error);
  return probe;
}

}  // namespace kerntune::storage
