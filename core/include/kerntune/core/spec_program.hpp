// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/core/rejection.hpp>
#include <kerntune/search/param_space.hpp>

namespace kerntune {

/// Device properties that expressions may read, in slot order.
///   sm_count, max_threads_per_block, max_threads_per_sm, max_blocks_per_sm, shared_per_block (without opt-in),
///   shared_per_block_optin, shared_per_sm, registers_per_block, registers_per_sm, l2_bytes, warp_size,
///   compute_capability (major*10+minor), is_cuda, cpu_cores
struct DeviceProperties {
  std::int64_t sm_count = 0, max_threads_per_block = 0, max_threads_per_sm = 0, max_blocks_per_sm = 0;
  std::int64_t shared_per_block = 0, shared_per_block_optin = 0, shared_per_sm = 0;
  std::int64_t registers_per_block = 0, registers_per_sm = 0, l2_bytes = 0, warp_size = 0;
  std::int64_t compute_capability = 0, is_cuda = 0, cpu_cores = 0;
};
std::span<const std::string_view> device_property_names() noexcept;

using Dims = std::map<std::string, std::int64_t>;

/// Everything that expressions read, bound to values: a configuration at a problem size on a device.
/// Ownership: borrows the SpecProgram and the config's literals that made it.
class Binding {
 public:
  std::span<const expr::Value> values() const noexcept { return values_; }

 private:
  friend class SpecProgram;
  std::vector<expr::Value> values_;
};

/// Numbers of one buffer at one problem size and configuration.
struct BufferPlan {
  std::string name;
  DType dtype = DType::f32;
  std::uint64_t count = 0;  // elements
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 256;
  BufferRole role = BufferRole::in;
  Fill fill;
};

/// What to compile for a configuration. Equal jobs give equal cubins.
struct CompilePlan {
  std::vector<std::string> entries;  // name expressions of the launch steps that run, without repeats: "sgemm<64,32>"
  std::vector<std::string> options;  // the author's options, then -D definitions in order, then the engine's
  std::int64_t register_cap = 0;     // 0: none
  // What KERNTUNE_MIN_BLOCKS_PER_SM asks for (0: nothing), and the threads of a block of the first launch, to which it
  // applies (0: not known before compiling, or the launch does not run).
  std::int64_t min_blocks_per_sm = 0, bounded_threads = 0;
};

struct ArgPlan {
  enum class Kind : std::uint8_t { pointer, scalar, tensor_map } kind = Kind::scalar;
  std::size_t buffer = 0;                 // index in the spec's buffers (pointer, tensor_map)
  std::uint64_t offset_bytes = 0;         // pointer
  std::array<unsigned char, 8> scalar{};  // value in the argument's type, little endian
  std::size_t scalar_bytes = 0;
  struct TensorMap {
    DType dtype = DType::f32;
    std::vector<std::uint64_t> dims, strides;
    std::vector<std::uint32_t> box, element_strides;
    std::string swizzle, interleave, l2_promotion, oob_fill;
  } tensor_map;
};

struct LaunchPlan {
  std::string entry;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{0, 0, 0};  // all 0: no cluster launch
  std::uint32_t shared_bytes = 0;
  std::int32_t carveout = -1;
  bool cooperative = false;
  std::vector<ArgPlan> args;
};
struct MemsetPlan {
  std::size_t buffer = 0;
  std::uint64_t offset_bytes = 0, bytes = 0;
  std::uint8_t byte = 0;
};
using StepPlan = std::variant<LaunchPlan, MemsetPlan>;

/// Facts of a compiled kernel that geometry may read.
struct KernelFacts {
  std::int64_t regs = 0;           // registers per thread
  std::int64_t blocks_per_sm = 0;  // by the driver's occupancy calculation
};

/// A KernelSpec with every expression compiled once. Immutable; threads may share it.
/// Functions that can fail because of one configuration return a Rejection that says which expression, its value, the
/// configuration and the sizes: bad_expression if it cannot be evaluated or is below what its place takes, device_limit
/// if it is above, out_of_memory for a buffer above 1 TiB. Limits checked here are CUDA's own (grid 2^31-1, 65535,
/// 65535), not the device's.
class SpecProgram {
 public:
  /// Errors: SpecError.
  explicit SpecProgram(KernelSpec spec);
  ~SpecProgram();

  const KernelSpec& spec() const noexcept;
  const search::ParamSpace& space() const noexcept;
  search::Config default_config() const;

  /// All dims with values: defaults overridden by `given`. Errors: UsageError for unknown names or values outside the
  /// declared range.
  Dims complete_dims(const Dims& given) const;

  /// Binds params, dims, device properties and derived names. A derived value that cannot be evaluated rejects.
  tl::expected<Binding, Rejection> bind(const search::Config& config, const Dims& dims,
                                        const DeviceProperties& device) const;
  /// Binds without parameters: for buffers whose size no parameter changes, references and tolerances. What reads a
  /// parameter anyway is rejected where it is evaluated. Errors: SpecError if a derived value cannot be evaluated at
  /// this size.
  Binding bind_dims(const Dims& dims, const DeviceProperties& device) const;

  /// Checks the applicability conditions; the Rejection names the first that is false.
  tl::expected<void, Rejection> applicable(const Binding& binding) const;
  tl::expected<std::vector<BufferPlan>, Rejection> buffers(const Binding& binding) const;
  tl::expected<CompilePlan, Rejection> compile_plan(const Binding& binding) const;

  /// True if launch step `step` (index in spec().steps) runs under `binding`.
  tl::expected<bool, Rejection> step_runs(std::size_t step, const Binding& binding) const;
  /// Geometry and arguments of one step. `facts` are those of the step's kernel; until they are known pass {} only for
  /// steps that do not read them (needs_facts).
  tl::expected<StepPlan, Rejection> step(std::size_t step, const Binding& binding, std::span<const BufferPlan> buffers,
                                         const KernelFacts& facts) const;
  bool needs_facts(std::size_t step) const;
  /// What is known of a launch step without facts, for limits: entry, cluster, and those of block and shared_bytes that
  /// read none; the rest as if the spec left it out.
  tl::expected<LaunchPlan, Rejection> known_launch(std::size_t step, const Binding& binding) const;

  struct SymbolPlan {
    std::string symbol;
    ArgPlan value;  // pointer (a device-to-device copy of the buffer from the offset on) or scalar
  };
  tl::expected<std::vector<SymbolPlan>, Rejection> symbols(const Binding& binding,
                                                           std::span<const BufferPlan> buffers) const;

  /// The reference kernel's own plans (bind_dims bindings).
  tl::expected<CompilePlan, Rejection> reference_compile_plan(const Binding& binding) const;
  tl::expected<std::vector<StepPlan>, Rejection> reference_steps(const Binding& binding,
                                                                 std::span<const BufferPlan> buffers) const;

  struct Limits {
    double abs = 0, rel = 0;
  };
  /// Tolerance of a buffer at a size: as given, else derived from its reduction length, else {0, 0} (bit equality).
  /// Errors: SpecError if the expression cannot be evaluated or is negative: a limit is never guessed.
  Limits tolerance(std::string_view buffer, const Binding& binding) const;

  struct WorkAmount {
    std::optional<double> flop, bytes;
  };
  /// Nothing where the spec gives no expression, or it cannot be evaluated or is negative.
  WorkAmount work(const Binding& binding) const;

 private:
  void bind_common(Binding& binding, const Dims& dims, const DeviceProperties& device) const;

  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

/// The largest relative error of rounding to a type: 2^-24 for f32; 0 for integers.
double unit_roundoff(DType type) noexcept;
/// How far a sum of `terms` numbers of at most `magnitude`, summed in `accumulator` and stored as `output`, may be off.
/// docs/measuring.md, "Tolerances", has the derivation.
SpecProgram::Limits summation_limits(double terms, double magnitude, DType accumulator, DType output) noexcept;

}  // namespace kerntune
