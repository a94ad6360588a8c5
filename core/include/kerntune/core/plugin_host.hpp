// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <kerntune/core/device.hpp>
#include <kerntune/core/errors.hpp>
#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/core/rejection.hpp>
#include <kerntune/core/spec_program.hpp>

struct kerntune_kernel;

namespace kerntune {

/// Host memory or device memory of one buffer, as handed to a plugin.
struct BoundBuffer {
  std::string_view name;
  DType dtype = DType::f32;
  void* data = nullptr;
  std::uint64_t count = 0;
};

/// A configuration at a size, as a plugin's callbacks see it. Borrowed during the call.
struct PluginCall {
  DeviceKind device_kind{};
  int device_ordinal = 0;
  const KernelSpec* spec = nullptr;
  const Dims* dims = nullptr;
  const search::Config* config = nullptr;  // null for reference
  std::span<const BoundBuffer> buffers;
};

/// A callable kernel between prepare and teardown. Move-only; destroying it calls teardown.
/// Threads: one at a time.
class PreparedCallable {
 public:
  PreparedCallable(const kerntune_kernel* kernel, void* state) noexcept : kernel_(kernel), state_(state) {}
  PreparedCallable(PreparedCallable&& other) noexcept;
  PreparedCallable& operator=(PreparedCallable&&) = delete;
  ~PreparedCallable();
  /// Errors as values: unsupported, launch_error, out_of_memory, internal_error with the plugin's text.
  tl::expected<void, Rejection> launch(void* stream);

 private:
  const kerntune_kernel* kernel_;
  void* state_;
};

/// One kernel of a loaded plugin: the C ABI as safe C++. Borrowed from its library, which is never unloaded.
class PluginKernel {
 public:
  PluginKernel(const kerntune_kernel* kernel, KernelSpec spec) : kernel_(kernel), spec_(std::move(spec)) {}
  const KernelSpec& spec() const noexcept { return spec_; }
  bool has_reference() const noexcept;
  tl::expected<PreparedCallable, Rejection> prepare(const PluginCall& call) const;
  tl::expected<void, Rejection> reference(const PluginCall& call) const;

 private:
  const kerntune_kernel* kernel_;
  KernelSpec spec_;
};

/// A plugin's shared object. Opening it checks, in this order (docs/plugin-abi.md, "Loading"):
///   1. the path names a folder, or the file is found on plugin_search_path(); never the current directory by itself;
///   2. before any code of the plugin runs: a regular ELF shared object for this machine, whose only exported symbol is
///   the
///      entry (another major's is named);
///   3. dlopen (RTLD_NOW | RTLD_LOCAL), then the table: major, struct sizes, reserved fields, table and callbacks
///   inside the
///      library (dladdr);
///   4. the specs parse, agree with the callbacks, and have unique names.
/// Never unloaded; opening it again, even under another path, gives the same kernels and does not call the entry again.
/// Runs the plugin's constructors and entry, which may do anything: open it in a worker process only. Where the process
/// uses CUDA, initialise CUDA first: libcuda loads libraries too, and the two locks can deadlock.
/// Threads: open may be called from any thread.
class PluginLibrary {
 public:
  /// Errors: PluginError (what was expected, what was found, what to do).
  static PluginLibrary open(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  const std::string& name() const noexcept { return name_; }
  const std::string& version() const noexcept { return version_; }
  const std::string& build_id() const noexcept { return build_id_; }  // hex; empty if it was linked without
  std::span<const PluginKernel> kernels() const noexcept { return kernels_; }
  const PluginKernel* find(std::string_view kernel) const noexcept;

 private:
  std::string path_, name_, version_, build_id_;
  std::vector<PluginKernel> kernels_;
};

/// Folders searched for plugins, in order: the entries of $KERNTUNE_PLUGIN_PATH (colons between them; an empty one is
/// ignored), <executable>/../lib/kerntune/plugins, and the build tree's plugins if this program lies in one. They may
/// not exist.
std::vector<std::string> plugin_search_path();

}  // namespace kerntune
