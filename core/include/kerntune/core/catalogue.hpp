// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kerntune/core/device.hpp>
#include <kerntune/core/kernel_spec.hpp>

namespace kerntune {

/// A kernel that can be tuned, and where it came from.
struct KernelEntry {
  KernelSpec spec;
  std::string origin;  // path of the plugin or spec file
  bool from_plugin = false;
  std::string plugin_name, plugin_version, plugin_build_id;
};

/// A plugin or file that could not be described, with the reason.
struct CatalogueProblem {
  std::string path;
  std::string message;
};

struct Catalogue {
  std::vector<KernelEntry> kernels;  // sorted by name
  std::vector<CatalogueProblem> problems;
};

/// Describes plugins (*.so) and spec files (*.json) given as files or folders; none: plugin_search_path().
/// Plugins are opened in a describe worker each, so one that crashes or exits costs a CatalogueProblem.
Catalogue describe(const std::vector<std::string>& paths);

/// Finds one kernel: `name` is a kernel's name (searched in `paths`), "PLUGIN.so:kernel", a plugin holding one kernel,
/// or a spec file, or a recording. Errors: UsageError listing near names and what was searched.
KernelEntry find_kernel(const std::string& name, const std::vector<std::string>& paths);

/// find_kernel for a device: on "replay:FILE" the kernel is the recording's own (`name` must be its name, the file, or
/// empty), so that a recording can be tuned where the plugin that made it is not.
KernelEntry find_kernel_for(const std::string& name, const std::vector<std::string>& paths, const std::string& device);

/// Devices as seen by a worker (this process never loads libcuda).
DeviceList devices_from_worker();
/// "auto" -> the first CUDA device, else "host" (for callable kernels: what they run on).
std::string resolve_device(const std::string& device, const KernelSpec& spec);

}  // namespace kerntune
