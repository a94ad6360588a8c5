// SPDX-License-Identifier: Apache-2.0
#include "file_probe.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace kerntune::storage {
namespace {

// Offsets: https://www.sqlite.org/fileformat.html#the_database_header
constexpr std::size_t kHeaderBytes = 100;
constexpr char kMagic[] = "SQLite format 3";  // its terminating zero included
constexpr std::size_t kWriteVersion = 18, kReadVersion = 19, kUserVersion = 60, kApplicationIdAt = 68;

std::uint32_t big_endian(const unsigned char* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | std::uint32_t{at[3]};
}

FileProbe found(FileKind kind, std::uint64_t bytes, std::string problem) {
  return {.kind = kind, .bytes = bytes, .schema = 0, .problem = std::move(problem)};
}

std::string newer_text(std::uint32_t schema) {
  return "schema " + std::to_string(schema) + " is newer than " + std::to_string(kSchemaVersion) +
         ", which this build understands; use the release that wrote it, or a later one";
}

}  // namespace

FileProbe probe_header(const unsigned char* header, std::uint64_t bytes) {
  if (bytes == 0) return found(FileKind::empty, 0, "the file is empty: no result has been stored in it");
  if (bytes < kHeaderBytes || std::memcmp(header, kMagic, sizeof kMagic) != 0) {
    return found(FileKind::not_sqlite, bytes, "not an SQLite database; it was left as it is, name another file");
  }
  if (big_endian(header + kApplicationIdAt) != kApplicationId) {
    return found(FileKind::foreign, bytes,
                 "an SQLite database of another program; it was left as it is, name another file");
  }
  FileProbe probe{.kind = FileKind::usable, .bytes = bytes, .schema = big_endian(header + kUserVersion), .problem = {}};
  if (probe.schema > static_cast<std::uint32_t>(kSchemaVersion)) {
    probe.kind = FileKind::newer;
    probe.problem = newer_text(probe.schema);
  } else if (header[kWriteVersion] == 2 || header[kReadVersion] == 2) {
    probe.kind = FileKind::wal;
    probe.problem =
        "switched to a write-ahead log, which kerntune does not use; switch it back with "
        "`sqlite3 FILE 'PRAGMA journal_mode = DELETE'`";
  }
  return probe;
}

FileProbe probe_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    return found(FileKind::missing, 0, "no such file");
  }
  if (error) return found(FileKind::unreadable, 0, error.message());
  if (status.type() != std::filesystem::file_type::regular) {
    return found(FileKind::unreadable, 0, "not a regular file");
  }
  const std::uint64_t bytes = std::filesystem::file_size(path, error);
  unsigned char header[kHeaderBytes] = {};
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return found(FileKind::unreadable, bytes, std::strerror(errno));
  file.read(reinterpret_cast<char*>(header), sizeof header);
  const auto read = static_cast<std::uint64_t>(file.gcount());
  return probe_header(header, read < kHeaderBytes ? read : bytes);
}

}  // namespace kerntune::storage
