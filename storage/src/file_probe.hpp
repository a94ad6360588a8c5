// SPDX-License-Identifier: Apache-2.0
// What a file is, told from its first 100 bytes without SQLite, so that a stranger's file is never touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kerntune::storage {

inline constexpr std::uint32_t kApplicationId = 0x4B54554E;  // "KTUN", at offset 68 of the file
inline constexpr int kSchemaVersion = 1;                     // PRAGMA user_version, at offset 60

enum class FileKind {
  missing,
  empty,       // zero bytes
  unreadable,  // exists, but cannot be opened for reading, or is not a regular file
  not_sqlite,
  foreign,  // SQLite, but not ours
  wal,      // ours, but switched to the write-ahead log
  newer,    // ours, with a schema of a later release
  usable,
};

struct FileProbe {
  FileKind kind = FileKind::missing;
  std::uint64_t bytes = 0;
  std::uint32_t schema = 0;
  std::string problem;  // what was found and what to do, unless usable; for messages "<doing> '<path>': <problem>"
};

FileProbe probe_file(const std::string& path);
/// The same for a file, or its first 100 bytes, in memory.
FileProbe probe_header(std::span<const std::byte> content);

}  // namespace kerntune::storage
