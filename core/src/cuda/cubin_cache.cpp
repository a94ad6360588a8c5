// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/compile.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cubin_file.hpp"

namespace kerntune {
namespace {

namespace fs = std::filesystem;
constexpr auto kAbandonedAfter = std::chrono::hours(1);

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path path_of(const std::string& folder, const std::string& key) { return fs::path(folder) / (key + ".cubin"); }
fs::path unfinished_folder(const std::string& folder) { return fs::path(folder) / "unfinished"; }

/// Files that writers killed half-way left behind.
void remove_abandoned(const std::string& folder) {
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(unfinished_folder(folder), ignored)) {
    const auto changed = file.last_write_time(ignored);
    if (!ignored && fs::file_time_type::clock::now() - changed > kAbandonedAfter) fs::remove(file.path(), ignored);
  }
}

/// Writes all bytes and makes them durable; an error's text, or nothing.
std::string write_durably(const fs::path& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return std::strerror(errno);
  std::string error;
  while (!bytes.empty() && error.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error = std::strerror(errno);
    }
  }
  if (error.empty() && ::fsync(file) != 0) error = std::strerror(errno);
  if (::close(file) != 0 && error.empty()) error = std::strerror(errno);
  return error;
}

/// Unique among processes and threads of this machine, and among machines that share the folder.
std::string unique_name(const std::string& key) {
  static std::atomic<unsigned> counter{0};
  const auto ticks = std::chrono::steady_clock::now().time_since_epoch().count();
  return fmt::format("{}.{}.{}.{:x}", key, ::getpid(), counter.fetch_add(1), ticks);
}

}  // namespace

std::string CubinCache::default_folder() {
  if (const std::string folder = environment("KERNTUNE_CACHE_DIR"); !folder.empty()) return folder + "/cubin";
  if (const std::string folder = environment("XDG_CACHE_HOME"); !folder.empty()) return folder + "/kerntune/cubin";
  const std::string home = environment("HOME");
  return (home.empty() ? "/tmp" : home) + "/.cache/kerntune/cubin";
}

CubinCache::CubinCache(std::string folder) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(unfinished_folder(folder_), error);
  if (!error && ::access(unfinished_folder(folder_).c_str(), W_OK | X_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error) {
    warning_ = fmt::format(
        "cubin cache '{}': cannot be written ({}); compiled kernels are not kept; set KERNTUNE_CACHE_DIR to a folder "
        "that can be",
        folder_, error.message());
    return;
  }
  remove_abandoned(folder_);
}

bool CubinCache::load(const std::string& key, CompiledModule& out) const {
  std::ifstream file(path_of(folder_, key), std::ios::binary);
  if (!file) return false;
  std::ostringstream text;
  text << file.rdbuf();
  auto module = cuda::decode_cubin_file(std::move(text).str());
  if (!module || module->key != key) return false;  // damaged or foreign: the next store replaces it
  out = std::move(*module);
  out.from_cache = true;
  return true;
}

void CubinCache::store(const CompiledModule& module) {
  if (!warning_.empty()) return;
  const fs::path unfinished = unfinished_folder(folder_) / unique_name(module.key);
  std::string failure = write_durably(unfinished, cuda::encode_cubin_file(module));
  std::error_code error;
  if (failure.empty()) {
    fs::rename(unfinished, path_of(folder_, module.key), error);
    if (error) failure = error.message();
  }
  if (failure.empty()) return;
  fs::remove(unfinished, error);
  warning_ =
      fmt::format("cubin cache '{}': writing failed ({}); compiled kernels are no longer kept", folder_, failure);
}

}  // namespace kerntune
