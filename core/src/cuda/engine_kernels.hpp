// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <kerntune/core/compile.hpp>
#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/core/spec_program.hpp>

#include "context.hpp"
#include "device_memory.hpp"
#include "engine_results.hpp"
#include "measure/compare_params.hpp"
#include "measure/fill_params.hpp"

namespace kerntune::cuda {

/// The engine's own kernels (engine_kernels.cu) as a compilation for `arch`.
CompileJob engine_kernels_job(const std::string& arch);

/// The engine's kernels, compiled through the cubin cache in the default folder. Takes a second the first time on a
/// machine. Errors: DeviceError (no NVRTC, or it refuses the text).
CompiledModule compile_engine_kernels(const std::string& arch);

/// A range of device memory as elements.
struct Elements {
  CUdeviceptr data = 0;
  std::uint64_t count = 0;
  DType type = DType::f32;
};

/// Launches of the engine's kernels on the context's stream. Functions that return a result wait for it; the others
/// only enqueue. Errors: Rejected.
class EngineKernels {
 public:
  /// Borrows `context`. Errors: DeviceError.
  EngineKernels(Context& context, const CompiledModule& module);
  ~EngineKernels();
  EngineKernels(const EngineKernels&) = delete;
  EngineKernels& operator=(const EngineKernels&) = delete;

  void fill(const Elements& elements, const fill::Params& params);
  CheckResult check_fill(const Elements& elements, const fill::Params& params);
  void fill_guard(CUdeviceptr zone, std::uint64_t bytes, std::uint64_t key);
  CheckResult check_guard(CUdeviceptr zone, std::uint64_t bytes, std::uint64_t key);
  /// Elements that hold these bits.
  CheckResult count_equal(const Elements& elements, std::uint64_t bits);
  /// Writes the same bits into every element.
  void fill_constant(const Elements& elements, std::uint64_t bits);
  compare::Tally compare(const Elements& got, CUdeviceptr expected, const SpecProgram::Limits& limits,
                         std::uint64_t poison);
  /// A number that changes with any bit of the elements.
  std::uint64_t digest(const Elements& elements);
  void block(CUdeviceptr flag, CUdeviceptr gave_up, std::uint64_t timeout_ns);
  void empty();
  /// Begins to disturb what the context's stream does next, for some hundred microseconds, on a stream of its own.
  void disturb(std::uint64_t key);
  /// Waits for the end of it.
  void end_disturbance();
  /// Writes the clock of the first multiprocessor, in cycles, to a 64-bit word.
  void stamp(CUdeviceptr cycles);
  /// Keeps one multiprocessor busy for that many cycles.
  void spin(std::uint64_t cycles);

 private:
  CUfunction function(const char* name);
  void launch(CUfunction kernel, std::uint64_t elements, void** arguments, const char* doing);
  template <typename Result>
  Result read_result();
  template <typename Result>
  void reset_result();

  Context& context_;
  CUmodule module_ = nullptr;
  CUfunction fill_ = nullptr, check_fill_ = nullptr, fill_guard_ = nullptr, check_guard_ = nullptr, compare_ = nullptr,
             digest_ = nullptr, block_ = nullptr, empty_ = nullptr, disturb_ = nullptr, count_ = nullptr,
             stamp_ = nullptr, spin_ = nullptr;
  CUstream aside_ = nullptr;
  DeviceMemory result_;
  unsigned sm_count_ = 1;
  std::uint64_t max_blocks_ = 1;
};

}  // namespace kerntune::cuda
