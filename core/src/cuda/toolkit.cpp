// SPDX-License-Identifier: Apache-2.0
#include "toolkit.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "digest.hpp"
#include "nvrtc_path.hpp"

namespace kerntune::cuda {
namespace {

namespace fs = std::filesystem;

/// The number after "#define CUDA_VERSION" in a cuda.h.
std::string version_of(const fs::path& cuda_h) {
  std::ifstream file(cuda_h);
  const std::string mark = "#define CUDA_VERSION ";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(mark))
      return line.substr(mark.size(), line.find_first_not_of("0123456789", mark.size()) - mark.size());
  return {};
}

std::vector<fs::path> candidates(const std::string& nvrtc_path) {
  std::vector<fs::path> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(name); home != nullptr && *home != '\0')
      folders.push_back(fs::path(home) / "include");
  if (!nvrtc_path.empty()) {
    const fs::path library = fs::path(nvrtc_path).parent_path();
    folders.push_back(library.parent_path() / "include");
    folders.push_back(library.parent_path().parent_path().parent_path() / "include");  // targets/<machine>/lib
  }
  folders.emplace_back("/usr/local/cuda/include");
  return folders;
}

/// What an #include line names, without its quotes; nothing if the line is none, an empty text if it names a macro.
std::optional<std::string_view> included_name(std::string_view line) {
  const auto skip_spaces = [&line] {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  };
  skip_spaces();
  if (line.empty() || line.front() != '#') return std::nullopt;
  line.remove_prefix(1);
  skip_spaces();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(7);
  skip_spaces();
  if (line.empty() || (line.front() != '<' && line.front() != '"')) return std::string_view{};
  const char close = line.front() == '<' ? '>' : '"';
  line.remove_prefix(1);
  return line.substr(0, line.find(close));
}

void add_foreign_includes(std::string_view text, const CompileJob& job, std::set<std::string>& names) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const auto name = included_name(text.substr(0, end));
    const auto is_named = [&](const auto& header) { return header.first == *name; };
    if (name && std::ranges::none_of(job.headers, is_named)) names.emplace(*name);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

std::string digest_files(const std::string& folder) {
  std::vector<std::string> lines;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, ignored), end;
       at != end; at.increment(ignored)) {
    if (ignored || !at->is_regular_file(ignored)) continue;
    const auto changed = at->last_write_time(ignored).time_since_epoch().count();
    lines.push_back(at->path().string() + ' ' + std::to_string(at->file_size(ignored)) + ' ' + std::to_string(changed));
  }
  std::ranges::sort(lines);
  Sha256 digest;
  for (const std::string& line : lines) digest.field(line);
  return digest.hex();
}

}  // namespace

std::vector<std::string> library_candidates(const std::vector<std::string>& names, const char* variable) {
  if (const char* path = std::getenv(variable); path != nullptr && *path != '\0') return {path};
  std::vector<std::string> all;
  const auto add_home = [&](const char* home) {
    if (home == nullptr || *home == '\0') return;
    for (const char* folder : {"/lib64/", "/extras/CUPTI/lib64/"})  // CUPTI's own folder, in some installations
      for (const std::string& name : names) all.push_back(std::string(home) + folder + name);
  };
  // Whoever names a toolkit means it: the headers come from there too, and a compiler of another release beside them
  // could be told nothing but wrong things.
  add_home(std::getenv("CUDA_HOME"));
  add_home(std::getenv("CUDA_PATH"));
  all.insert(all.end(), names.begin(), names.end());
  add_home("/usr/local/cuda");
  return all;
}

Toolkit find_toolkit(const std::string& nvrtc_path) {
  std::error_code ignored;
  for (const fs::path& folder : candidates(nvrtc_path)) {
    if (!fs::exists(folder / "cuda_fp16.h", ignored)) continue;
    Toolkit found{{folder.string()}, version_of(folder / "cuda.h")};
    // CUDA 13 moved the C++ core libraries (<cuda/std/...>, <cub/...>) one folder down.
    if (fs::is_directory(folder / "cccl", ignored)) found.include_folders.push_back((folder / "cccl").string());
    return found;
  }
  return {};
}

const Toolkit& toolkit() {
  static const Toolkit found = find_toolkit(nvrtc_path());
  return found;
}

std::vector<std::string> foreign_headers_of(const CompileJob& job) {
  std::set<std::string> names;
  add_foreign_includes(job.source, job, names);
  for (const auto& [name, text] : job.headers) add_foreign_includes(text, job, names);
  return {names.begin(), names.end()};
}

std::vector<std::string> include_folders_of(const std::vector<std::string>& options) {
  static constexpr std::array<std::string_view, 4> kFlags{"--include-path", "-isystem", "-include-path", "-I"};
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string_view option = options[i];
    const auto* flag = std::ranges::find_if(kFlags, [&](std::string_view f) { return option.starts_with(f); });
    if (flag == kFlags.end()) continue;
    std::string_view rest = option.substr(flag->size());
    if (rest.starts_with('=')) rest.remove_prefix(1);
    if (rest.empty() && i + 1 < options.size()) rest = options[++i];
    if (!rest.empty()) folders.emplace_back(rest);
  }
  return folders;
}

std::string folder_digest(const std::string& folder) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;  // guarded by mutex
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace(folder);
  if (is_new) at->second = digest_files(folder);
  return at->second;
}

}  // namespace kerntune::cuda
