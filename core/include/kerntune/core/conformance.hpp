// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <kerntune/core/compile.hpp>
#include <kerntune/core/rejection.hpp>

namespace kerntune {

/// One thing that the engine relies on, and whether a plugin keeps it.
struct ConformanceCheck {
  enum class Status { pass, fail, skip };
  Status status = Status::fail;
  std::string kernel;   // empty: about the whole plugin
  std::string name;     // what must hold: "the default configuration is in the space"
  std::string message;  // what was tried; for a failure, what was found and what to do
};
std::string_view name_of(ConformanceCheck::Status status) noexcept;  // "pass"

struct ConformanceOptions {
  std::uint64_t seed = 1;  // of random batches, configurations and inputs
  int random_batches =
      256;  // tried besides ends, powers of two and their neighbours, where a range is too long to try all
  int random_configs = 8;                        // host callables: run besides the default
  std::uint64_t max_bytes = UINT64_C(16) << 20;  // host callables: sizes are reduced until the buffers fit
  double max_flop = 1e8;                         // ... and the work, where the spec states it
  /// Compiles one job (nvrtc::compile, or a compile worker); empty: compile checks are skipped.
  std::function<tl::expected<CompiledModule, Rejection>(const CompileJob&)> compile;
  std::vector<int> architectures;  // that `compile` accepts: {75, 80, 90}
};

struct ConformanceReport {
  std::string path;
  std::string plugin_name, plugin_version, plugin_build_id;  // empty if it does not load
  std::vector<ConformanceCheck> checks;                      // in the order done
  bool passed() const noexcept;                              // nothing failed
};

/// The checks behind `kerntune check-plugin`, as far as they need no GPU. For each kernel: spec and space; the default
/// configuration applies to every declared batch, with buffers and launch geometry within the limits, and at other
/// sizes of the other dims, on this host or on V100, A100, H100, H200 and B200; host callables launch repeatably and
/// agree with their reference; sources compile. Runs the plugin's code: call it in a worker process. A check that
/// cannot be done is a skip with a reason, never a pass. Errors: none thrown for what the plugin does wrong;
/// std::bad_alloc.
ConformanceReport check_plugin(const std::string& path, const ConformanceOptions& options);

}  // namespace kerntune
