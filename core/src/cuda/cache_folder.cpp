// SPDX-License-Identifier: Apache-2.0
#include "cache_folder.hpp"

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

namespace kerntune::cuda {
namespace {

namespace fs = std::filesystem;
constexpr auto kAbandonedAfter = std::chrono::hours(1);

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

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

std::string CacheFolder::default_folder(const std::string& name) {
  if (const std::string folder = environment("KERNTUNE_CACHE_DIR"); !folder.empty()) return folder + "/" + name;
  if (const std::string folder = environment("XDG_CACHE_HOME"); !folder.empty()) return folder + "/kerntune/" + name;
  const std::string home = environment("HOME");
  return (home.empty() ? "/tmp" : home) + "/.cache/kerntune/" + name;
}

CacheFolder::CacheFolder(std::string folder, std::string suffix, std::string keeps)
    : folder_(std::move(folder)), suffix_(std::move(suffix)), keeps_(std::move(keeps)) {
  std::error_code error;
  fs::create_directories(unfinished_folder(folder_), error);
  if (!error && ::access(unfinished_folder(folder_).c_str(), W_OK | X_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error) {
    warning_ = fmt::format(
        "cache '{}': cannot be written ({}); {} are not kept; set KERNTUNE_CACHE_DIR to a folder that can be", folder_,
        error.message(), keeps_);
    return;
  }
  remove_abandoned(folder_);
}

std::optional<std::string> CacheFolder::load(const std::string& key) const {
  std::ifstream file(fs::path(folder_) / (key + suffix_), std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

void CacheFolder::store(const std::string& key, std::string_view bytes) {
  if (!warning_.empty()) return;
  const fs::path unfinished = unfinished_folder(folder_) / unique_name(key);
  std::string failure = write_durably(unfinished, bytes);
  std::error_code error;
  if (failure.empty()) {
    fs::rename(unfinished, fs::path(folder_) / (key + suffix_), error);
    if (error) failure = error.message();
  }
  if (failure.empty()) return;
  fs::remove(unfinished, error);
  warning_ = fmt::format("cache '{}': writing failed ({}); {} are no longer kept", folder_, failure, keeps_);
}

}  // namespace kerntune::cuda
