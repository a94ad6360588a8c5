// SPDX-License-Identifier: Apache-2.0
#include "faulty_vfs.hpp"

#include <sqlite3.h>

#include <cstdio>
#include <cstring>
#include <new>

#include "files.hpp"

namespace kerntune::testing {
namespace {

FaultyVfs* active = nullptr;
sqlite3_vfs* real = nullptr;
sqlite3_vfs shim = {};

struct File {
  sqlite3_file base;
  const char* path;  // SQLite keeps it until xClose; null for temporary files
  sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File* file_of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
sqlite3_file* inner(sqlite3_file* file) { return file_of(file)->inner(); }
FaultyVfs::FileState& state_of(sqlite3_file* file) {
  return active->state(file_of(file)->path ? file_of(file)->path : "");
}

int close(sqlite3_file* file) { return inner(file)->pMethods->xClose(inner(file)); }

int read(sqlite3_file* file, void* to, int bytes, sqlite3_int64 offset) {
  return inner(file)->pMethods->xRead(inner(file), to, bytes, offset);
}

int write(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 offset) {
  if (const int code = active->admit(SQLITE_IOERR_WRITE)) return code;
  state_of(file).pending.push_back({offset, {static_cast<const char*>(from), static_cast<std::size_t>(bytes)}, false});
  return inner(file)->pMethods->xWrite(inner(file), from, bytes, offset);
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (const int code = active->admit(SQLITE_IOERR_TRUNCATE)) return code;
  state_of(file).pending.push_back({size, {}, true});
  return inner(file)->pMethods->xTruncate(inner(file), size);
}

int sync(sqlite3_file* file, int flags) {
  if (const int code = active->admit(SQLITE_IOERR_FSYNC)) return code;
  const int code = inner(file)->pMethods->xSync(inner(file), flags);
  if (file_of(file)->path) state_of(file) = {true, read_file(file_of(file)->path), {}};
  return code;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) { return inner(file)->pMethods->xFileSize(inner(file), size); }

int lock(sqlite3_file* file, int level) {
  if (active->locked_out()) return SQLITE_BUSY;
  return inner(file)->pMethods->xLock(inner(file), level);
}

int unlock(sqlite3_file* file, int level) { return inner(file)->pMethods->xUnlock(inner(file), level); }
int reserved(sqlite3_file* file, int* out) { return inner(file)->pMethods->xCheckReservedLock(inner(file), out); }
int control(sqlite3_file* file, int op, void* arg) { return inner(file)->pMethods->xFileControl(inner(file), op, arg); }
int sector(sqlite3_file* file) { return inner(file)->pMethods->xSectorSize(inner(file)); }
int traits(sqlite3_file* file) { return inner(file)->pMethods->xDeviceCharacteristics(inner(file)); }

const sqlite3_io_methods kMethods = {1,       close,   read,     write,   truncate, sync,   file_size,
                                     lock,    unlock,  reserved, control, sector,   traits, nullptr,
                                     nullptr, nullptr, nullptr,  nullptr, nullptr};

int open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  File* const made = new (file) File{{nullptr}, path};
  const bool creates = path && (flags & SQLITE_OPEN_CREATE) && !std::filesystem::exists(path);
  if (creates) {
    if (const int code = active->admit(SQLITE_CANTOPEN)) return code;
  } else if (path && !active->state(path).exists && std::filesystem::exists(path)) {
    active->state(path) = {true, read_file(path), {}};
  }
  const int code = real->xOpen(real, path, made->inner(), flags, out_flags);
  if (made->inner()->pMethods) made->base.pMethods = &kMethods;
  return code;
}

int remove(sqlite3_vfs*, const char* path, int sync_folder) {
  if (const int code = active->admit(SQLITE_IOERR_DELETE)) return code;
  active->state(path) = {};
  return real->xDelete(real, path, sync_folder);
}

int pass_time(sqlite3_vfs*, int microseconds) {
  active->sleep(microseconds / 1e6);
  return microseconds;
}

void apply(std::string& content, const FaultyVfs::Change& change, std::size_t bytes) {
  const auto offset = static_cast<std::size_t>(change.offset);
  if (change.truncates) {
    if (content.size() > offset) content.resize(offset);
    return;
  }
  if (content.size() < offset + bytes) content.resize(offset + bytes);
  content.replace(offset, bytes, change.bytes, 0, bytes);
}

}  // namespace

FaultyVfs::FaultyVfs() {
  real = sqlite3_vfs_find(nullptr);
  shim = *real;
  shim.pNext = nullptr;
  shim.zName = "faulty";
  shim.szOsFile = static_cast<int>(sizeof(File)) + real->szOsFile;
  shim.xOpen = open;
  shim.xDelete = remove;
  shim.xSleep = pass_time;
  active = this;
  sqlite3_vfs_register(&shim, 1);
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_unregister(&shim);
  sqlite3_vfs_register(real, 1);
  active = nullptr;
}

void FaultyVfs::fail_change(long nth, Lasts lasts, int code) {
  changes_ = 0;
  struck_ = false;
  fail_from_ = nth;
  lasts_ = lasts;
  code_ = code;
}

void FaultyVfs::cut_power_at(long nth) {
  changes_ = 0;
  cut_from_ = nth;
}

int FaultyVfs::admit(int code_of_kind) {
  const long now = changes_++;
  if (cut_from_ >= 0 && now >= cut_from_) {
    powered_ = false;
    struck_ = true;
    return code_of_kind;
  }
  const bool fails = fail_from_ >= 0 && (lasts_ == Lasts::once ? now == fail_from_ : now >= fail_from_);
  if (!fails) return SQLITE_OK;
  struck_ = true;
  return code_ != SQLITE_FULL ? code_of_kind : code_of_kind == SQLITE_IOERR_WRITE ? SQLITE_FULL : SQLITE_OK;
}

bool FaultyVfs::all_synced() const {
  for (const auto& [path, file] : files_) {
    if (!path.empty() && !file.pending.empty()) return false;
  }
  return true;
}

void FaultyVfs::leave_what_survived(std::mt19937_64& chance) const {
  for (const auto& [path, file] : files_) {
    if (path.empty()) continue;
    std::string content = file.synced;
    for (const Change& change : file.pending) {
      const auto fate = chance() % 4;  // two in four whole, one torn, one lost
      if (fate < 2) apply(content, change, change.bytes.size());
      if (fate == 2) apply(content, change, change.bytes.size() / 2);
    }
    if (!file.exists && content.empty()) {
      std::filesystem::remove(path);
    } else {
      write_file(path, content);
    }
  }
}

}  // namespace kerntune::testing
