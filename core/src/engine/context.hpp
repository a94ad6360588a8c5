// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kerntune/core/catalogue.hpp>
#include <kerntune/core/compile.hpp>
#include <kerntune/core/device.hpp>
#include <kerntune/core/spec_program.hpp>
#include <kerntune/storage/records.hpp>

namespace kerntune {

/// What stays the same over a run: the kernel, the device and how it measures.
struct TuningContext {
  KernelEntry kernel;
  std::shared_ptr<const SpecProgram> program;
  DeviceInfo device;
  MeasurePolicy policy;
  std::string toolchain;
  std::string code_digest, space_digest, reference_digest;

  /// Source kernels on a GPU are compiled; callables and replays are not.
  bool compiles() const noexcept { return device.kind == DeviceKind::cuda && program->spec().is_source(); }
};

/// Verification seeds of a run: the same for all configurations, so that references are computed once.
std::vector<std::uint64_t> verification_seeds();

/// "nvrtc 13.0", "plugin <build-id>", "recorded".
std::string toolchain_of(const KernelEntry& kernel, const DeviceInfo& device, const std::string& nvrtc_version);

/// "batch=64,k=4096": sorted by name.
std::string canonical_dims(const Dims& dims);
Dims without(const Dims& dims, const std::string& name);

/// The identity of a configuration's evaluation at a size; an empty config is the pattern of all of them.
storage::EvaluationKey evaluation_key(const TuningContext& context, const Dims& dims, const std::string& config);

/// The compiler's work for a plan of `code`.
CompileJob compile_job(const SourceCode& code, const CompilePlan& plan, const std::string& arch);

}  // namespace kerntune
