// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/catalogue.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/plugin_host.hpp>
#include <kerntune/core/replay.hpp>

#include "process/worker_process.hpp"
#include "workers/wire.hpp"

namespace kerntune {
namespace {

namespace fs = std::filesystem;
using wire::json;

constexpr auto kDescribeTimeout = std::chrono::seconds(20);

/// One request to a fresh describe worker. Errors: Error with what the worker said or how it ended.
json ask_worker(const json& request, const std::string& doing) {
  auto worker = process::WorkerProcess::spawn("describe");
  worker.send(wire::message(request));
  const auto message = worker.wait(std::chrono::steady_clock::now() + kDescribeTimeout);
  if (!message) {
    const bool timed_out = worker.pump();
    const process::Exit exit = timed_out ? worker.kill() : worker.reap();
    const std::string how = timed_out ? fmt::format("no answer within {} s", kDescribeTimeout.count())
                                      : "the process that opened it " + exit.text();
    const std::string printed = worker.log_tail();
    throw Error(fmt::format("{}: {}{}", doing, how, printed.empty() ? "" : "; its last output: " + printed));
  }
  json answer = wire::body_of(*message);
  if (!answer.at("ok").get<bool>()) throw Error(answer.at("message").get<std::string>());
  return answer;
}

/// Paths go to workers, into stores and reports as text, where other bytes would become another path.
void require_utf8(const std::string& path) {
  try {
    (void)json(path).dump();
  } catch (const json::exception&) {
    throw Error(fmt::format("open plugin '{}': its path is not UTF-8; rename it, or reach it through a link", path));
  }
}

std::vector<KernelEntry> describe_plugin(const std::string& path) {
  require_utf8(path);
  const json answer = ask_worker({{"op", "describe"}, {"path", path}}, fmt::format("open plugin '{}'", path));
  const json& plugin = answer.at("plugin");
  std::vector<KernelEntry> entries;
  for (const json& text : answer.at("kernels")) {
    entries.push_back({parse_spec(text.get<std::string>(), path), path, true, plugin.at("name"), plugin.at("version"),
                       plugin.at("build_id")});
  }
  return entries;
}

/// Spec files are never packed, recordings may be.
bool holds_recording(const std::string& path) {
  if (path.ends_with(".gz")) return true;
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return is_recording(text);
}

std::vector<KernelEntry> describe_file(const std::string& path) {
  if (fs::path(path).extension() == ".so") return describe_plugin(path);
  KernelEntry entry;
  entry.spec = holds_recording(path) ? spec_of(read_recording(path)) : load_spec_file(path);
  entry.origin = path;
  return {entry};
}

/// Files that may hold kernels below a folder: plugins one level down too (build trees keep one folder per kernel).
std::vector<std::string> candidates_in(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    if (it.depth() > 1) it.disable_recursion_pending();
    const fs::path& path = it->path();
    if (it->is_regular_file(ignored) && (path.extension() == ".so" || path.extension() == ".json"))
      files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Search paths may name a folder twice, and links may lead to the same file.
std::vector<std::string> without_repeats(const std::vector<std::string>& files) {
  std::vector<std::string> unique;
  for (const std::string& file : files) {
    std::error_code error;
    const std::string real = fs::canonical(file, error);
    if (!error && std::find(unique.begin(), unique.end(), real) == unique.end()) unique.push_back(real);
  }
  return unique;
}

std::vector<std::string> expand(const std::vector<std::string>& paths, std::vector<CatalogueProblem>& problems) {
  std::vector<std::string> files;
  const bool searching = paths.empty();
  for (const std::string& path : searching ? plugin_search_path() : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      for (std::string& file : candidates_in(path)) files.push_back(std::move(file));
    } else if (fs::exists(path, error)) {
      files.push_back(path);
    } else if (!searching) {
      problems.push_back({path, fmt::format("look for kernels in '{}': no such file or folder", path)});
    }
  }
  return without_repeats(files);
}

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".json") || name.find(".so") != std::string::npos;
}

/// "dir/gemm.so:sgemm" -> file and kernel; the kernel is empty when not given.
std::pair<std::string, std::string> split_kernel(const std::string& name) {
  const auto colon = name.rfind(".so:");
  if (colon == std::string::npos) return {name, ""};
  return {name.substr(0, colon + 3), name.substr(colon + 4)};
}

std::vector<std::string> names_of(const std::vector<KernelEntry>& kernels) {
  std::vector<std::string> names;
  for (const KernelEntry& kernel : kernels) names.push_back(kernel.spec.name);
  return names;
}

KernelEntry pick(const std::vector<KernelEntry>& kernels, const std::string& name, const std::string& where) {
  std::vector<KernelEntry> found;
  std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(found),
               [&](const KernelEntry& k) { return name.empty() || k.spec.name == name; });
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw UsageError(fmt::format("find kernel '{}' in {}: not there; known: {}", name, where,
                                 kernels.empty() ? "none" : fmt::format("{}", fmt::join(names_of(kernels), ", "))));
  }
  std::vector<std::string> origins;
  for (const KernelEntry& k : found) origins.push_back(k.origin + ":" + k.spec.name);
  throw UsageError(fmt::format("find kernel '{}' in {}: {} kernels fit; name one of {}", name, where, found.size(),
                               fmt::join(origins, ", ")));
}

}  // namespace

Catalogue describe(const std::vector<std::string>& paths) {
  Catalogue catalogue;
  for (const std::string& file : expand(paths, catalogue.problems)) {
    try {
      for (KernelEntry& entry : describe_file(file)) catalogue.kernels.push_back(std::move(entry));
    } catch (const std::exception& error) {
      catalogue.problems.push_back({file, error.what()});
    }
  }
  std::stable_sort(catalogue.kernels.begin(), catalogue.kernels.end(),
                   [](const KernelEntry& a, const KernelEntry& b) { return a.spec.name < b.spec.name; });
  return catalogue;
}

KernelEntry find_kernel(const std::string& name, const std::vector<std::string>& paths) {
  if (is_path(name)) {
    const auto [file, kernel] = split_kernel(name);
    std::error_code error;
    if (!fs::is_regular_file(file, error))
      throw UsageError(fmt::format(
          "find kernel '{}': {} '{}'", name,
          fs::exists(file, error) ? "expected a file, found a folder, pipe or device" : "no such file", file));
    return pick(describe_file(fs::absolute(file)), kernel, fmt::format("'{}'", file));
  }
  const Catalogue catalogue = describe(paths);
  const auto& where = paths.empty() ? plugin_search_path() : paths;
  try {
    return pick(catalogue.kernels, name, fmt::format("{}", fmt::join(where, ", ")));
  } catch (const UsageError& error) {
    if (catalogue.problems.empty()) throw;
    throw UsageError(fmt::format("{}; not readable: {}", error.what(), catalogue.problems.front().message));
  }
}

namespace {

/// Sizes of which a recording holds just one are the ones to ask for.
void default_to_recorded_sizes(KernelSpec& spec, const Recording& recording) {
  for (Dim& dim : spec.dims) {
    std::set<std::int64_t> values;
    for (const RecordedSize& size : recording.sizes) {
      if (const auto found = size.dims.find(dim.name); found != size.dims.end()) values.insert(found->second);
    }
    if (values.size() == 1) dim.default_value = *values.begin();
  }
}

}  // namespace

KernelEntry find_kernel_for(const std::string& name, const std::vector<std::string>& paths, const std::string& device) {
  constexpr std::string_view kReplay = "replay:";
  if (!device.starts_with(kReplay)) return find_kernel(name, paths);
  const std::string file = device.substr(kReplay.size());
  KernelEntry entry;
  const Recording recording = read_recording(file);
  entry.spec = spec_of(recording);
  default_to_recorded_sizes(entry.spec, recording);
  entry.origin = file;
  if (name.empty() || name == entry.spec.name || name == file) return entry;
  throw UsageError(
      fmt::format("tune '{}' on '{}': the recording is of kernel '{}'; name that one", name, device, entry.spec.name));
}

DeviceList devices_from_worker() {
  return wire::device_list(ask_worker({{"op", "devices"}}, "list devices").at("list"));
}

std::string resolve_device(const std::string& device, const KernelSpec& spec) {
  if (device != "auto" && !device.empty()) return device;
  const auto* callable = std::get_if<CallableCode>(&spec.code);
  if (callable != nullptr && callable->runs == CallableCode::Runs::host) return "host";
  const DeviceList list = devices_from_worker();
  for (const DeviceInfo& info : list.devices) {
    if (info.kind == DeviceKind::cuda) return info.id;
  }
  throw DeviceError(fmt::format("choose a device for kernel '{}': it needs a CUDA device; {}", spec.name,
                                list.unavailable.empty() ? "none was found" : list.unavailable.front()));
}

}  // namespace kerntune
