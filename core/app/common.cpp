// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kerntune/core/errors.hpp>

#include "near_name.hpp"

namespace kerntune::app {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::string store_path(const std::string& given) {
  if (!given.empty()) return given;
  if (const std::string path = variable("KERNTUNE_DB"); !path.empty()) return path;
  // The XDG specification says that a relative path there is invalid and must be ignored.
  if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with('/')) return data + "/kerntune/kerntune.db";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.local/share/kerntune/kerntune.db";
  throw Error("find the result store: neither KERNTUNE_DB, XDG_DATA_HOME nor HOME is set; give --db FILE");
}

std::string existing_store_path(const std::string& given) {
  const std::string path = store_path(given);
  std::error_code error;
  if (std::filesystem::status(path, error).type() != std::filesystem::file_type::not_found) return path;
  throw Error(
      fmt::format("read store '{}': no such file; 'kerntune tune' makes one, and --db FILE names another", path));
}

std::string dims_text(const Dims& dims) {
  std::string text;
  for (const auto& [name, value] : dims) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text;
}

KernelEntry kernel_named(const std::string& name, const std::vector<std::string>& plugins, const std::string& device) {
  try {
    return find_kernel_for(name, plugins, device);
  } catch (const UsageError& error) {
    const bool path =
        name.find('/') != std::string::npos || name.ends_with(".json") || name.find(".so") != std::string::npos;
    if (path || device.starts_with("replay:")) throw;
    std::vector<std::string> known;
    for (const KernelEntry& entry : describe(plugins).kernels) known.push_back(entry.spec.name);
    throw UsageError(error.what() + did_you_mean(name, known));
  }
}

void check_dims(const std::string& where, const KernelSpec& spec, const Dims& dims) {
  std::vector<std::string> known;
  for (const Dim& dim : spec.dims) known.push_back(dim.name);
  for (const auto& [name, value] : dims) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(fmt::format("{}: kernel '{}' has no size '{}'{}; its sizes are {}", where, spec.name, name,
                                   did_you_mean(name, known), fmt::join(known, ", ")));
    if (name == spec.batch_dim().name)
      throw UsageError(
          fmt::format("{}: '{}' is the batch of kernel '{}'; give it with --batch", where, name, spec.name));
  }
}

void check_writable(const std::string& doing, const std::string& path) {
  std::error_code error;
  // Of the link itself: what it points to may be missing, and the link is the user's.
  const auto found = std::filesystem::symlink_status(path, error).type();
  const bool writable = std::ofstream(path, std::ios::binary | std::ios::app).good();
  if (found == std::filesystem::file_type::not_found) std::filesystem::remove(path, error);
  if (!writable) throw Error(fmt::format("{} '{}': the file cannot be opened for writing", doing, path));
}

MeasurePolicy policy_for(const std::string& l2, const std::string& mode, const std::string& device) {
  MeasurePolicy policy;
  const bool host = device == "host";
  policy.l2 = l2 == "warm" || (l2.empty() && host) ? MeasurePolicy::L2::warm : MeasurePolicy::L2::cold;
  policy.mode = mode == "graph" ? MeasurePolicy::Mode::graph : MeasurePolicy::Mode::eager;
  return policy;
}

}  // namespace kerntune::app
