// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <kerntune/expr/value.hpp>

namespace kerntune {

/// A kernel as the engine sees it: one serialisable document, whatever it came from (plugin, JSON file).
/// The JSON form of every member has the member's name; docs/kernel-spec.md is the reference for both.
/// Expressions are kept as text here; SpecProgram compiles them.
///
/// Names that expressions may read, by place:
///   constraints                      params
///   reference, tolerances            dims, device properties, derived names that depend on no parameter
///   derived, applicability, buffers  params, dims, derived (earlier ones), device properties (kDeviceProperties)
///   code, steps, work                the same
///   steps' grid, block, shared_bytes the same, and after compilation `regs` and `blocks_per_sm`
///                                    (of that step's kernel; 0 on a host device)

/// Expression text. Empty means "not given": each use documents its default.
using ExprText = std::string;

enum class DType : std::uint8_t { f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64 };
std::size_t size_of(DType type) noexcept;
std::string_view name_of(DType type) noexcept;  // "f32"
std::optional<DType> dtype_from(std::string_view name) noexcept;
bool is_real(DType type) noexcept;    // f64 f32 f16 bf16
bool is_signed(DType type) noexcept;  // reals and i8 i32 i64

/// A named size of the problem. Exactly one dim of a spec is the batch axis.
struct Dim {
  std::string name;
  std::int64_t default_value = 1;  // JSON "default"
  bool batch = false;
  std::int64_t min = 1;  // values the kernel is declared for, inclusive
  std::int64_t max = INT64_C(1) << 40;
  bool operator==(const Dim&) const = default;
};

/// What a parameter means to the launch. A role fills the matching expression of a step or of the code where that is
/// empty, and tells the search what kind of knob it turns.
enum class Role : std::uint8_t {
  none,
  block_x,
  block_y,
  block_z,
  grid_x,
  grid_y,
  grid_z,
  register_cap,       // 0 means no cap
  min_blocks_per_sm,  // second argument of __launch_bounds__; 0 means none
  dynamic_shared,     // bytes
  carveout,           // preferred shared-memory carve-out, percent of the maximum; -1 is the driver's default
  cluster_x,
  cluster_y,
  cluster_z,
  cooperative,  // boolean
  precision,
};
std::string_view name_of(Role role) noexcept;  // "block_x"
std::optional<Role> role_from(std::string_view name) noexcept;

struct ParamSpec {
  std::string name;
  std::vector<expr::Literal> values;
  expr::Literal default_value;  // JSON "default"; must be one of values. What runs untuned.
  Role role = Role::none;
  std::string summary;
  bool operator==(const ParamSpec&) const = default;
};

/// A name for a sub-expression, usable in everything evaluated after it.
struct Derived {
  std::string name;
  ExprText value;
  bool operator==(const Derived&) const = default;
};

enum class BufferRole : std::uint8_t { in, out, inout, workspace };
std::string_view name_of(BufferRole role) noexcept;  // "inout"
std::optional<BufferRole> buffer_role_from(std::string_view name) noexcept;

/// How the engine fills a buffer before a launch; deterministic in (seed, buffer index, element index).
struct Fill {
  enum class Kind : std::uint8_t {
    zero,
    constant,  // a
    uniform,   // reals in [a, b), or integers in [a, b] for integer types
    normal,    // mean a, standard deviation b
    iota,      // a + index
  };
  Kind kind = Kind::uniform;
  double a = -1;
  double b = 1;
  bool operator==(const Fill&) const = default;
};

std::string_view name_of(Fill::Kind kind) noexcept;  // "uniform"
std::optional<Fill::Kind> fill_kind_from(std::string_view name) noexcept;
/// What a buffer without "fill" gets: uniform over [-1, 1) for reals, [-8, 8] for signed and [0, 15] for unsigned
/// integers.
Fill default_fill(DType type) noexcept;

struct BufferSpec {
  std::string name;
  DType dtype = DType::f32;
  ExprText count;      // elements
  ExprText alignment;  // bytes, a power of two; empty: 256
  BufferRole role = BufferRole::in;
  Fill fill;  // in and inout; out and workspace are poisoned instead
  bool operator==(const BufferSpec&) const = default;
};

struct BufferArg {
  std::string buffer;
  ExprText offset;  // elements; empty: 0
  bool operator==(const BufferArg&) const = default;
};
struct ScalarArg {
  DType dtype = DType::i32;
  ExprText value;
  bool operator==(const ScalarArg&) const = default;
};
/// A CUtensorMap passed by value (__grid_constant__). Dimensions innermost first, as cuTensorMapEncodeTiled takes them.
struct TensorMapArg {
  std::string buffer;
  std::vector<ExprText> dims;             // elements, 1 to 5 of them
  std::vector<ExprText> strides;          // bytes, one fewer than dims
  std::vector<ExprText> box;              // elements, as many as dims
  std::vector<ExprText> element_strides;  // empty: all 1
  std::string swizzle = "none";           // none 32B 64B 128B
  std::string interleave = "none";        // none 16B 32B
  std::string l2_promotion = "none";      // none 64B 128B 256B
  std::string oob_fill = "zero";          // zero nan
  bool operator==(const TensorMapArg&) const = default;
};
using Arg = std::variant<BufferArg, ScalarArg, TensorMapArg>;

struct LaunchStep {
  std::string entry;                // "sgemm<{block_m},{block_n}>" or "axpy"; {name} is a param, dim or derived name
  ExprText when;                    // empty: always
  std::array<ExprText, 3> grid;     // blocks; empty: the role, else 1
  std::array<ExprText, 3> block;    // threads; empty: the role, else 1
  std::array<ExprText, 3> cluster;  // blocks; empty: the role, else no cluster launch
  ExprText shared_bytes;            // dynamic shared memory; empty: the role, else 0
  ExprText carveout;                // percent; empty: the role, else the driver's default
  ExprText cooperative;             // empty: the role, else false
  std::vector<Arg> args;
  bool operator==(const LaunchStep&) const = default;
};
struct MemsetStep {
  std::string buffer;
  ExprText when;
  ExprText offset;        // elements; empty: 0
  ExprText count;         // elements; empty: to the end
  std::int64_t byte = 0;  // value of each byte, 0 to 255
  bool operator==(const MemsetStep&) const = default;
};
using Step = std::variant<LaunchStep, MemsetStep>;

/// Copied into a __constant__ (or __device__) symbol of the module before the steps run.
struct SymbolBinding {
  std::string symbol;
  std::variant<BufferArg, ScalarArg> value;
  bool operator==(const SymbolBinding&) const = default;
};

struct HeaderText {
  std::string name;  // as #include names it
  std::string text;
  bool operator==(const HeaderText&) const = default;
};
struct Define {
  std::string name;
  ExprText value;
  bool operator==(const Define&) const = default;
};

/// CUDA C++ compiled per configuration.
struct SourceCode {
  std::string file;  // for messages, "sgemm.cu"
  std::string text;
  std::vector<HeaderText> headers;
  std::vector<std::string> options;  // passed to NVRTC as they are
  std::vector<Define> defines;       // -Dname=value; reals print as expr::to_text, booleans as 1 and 0
  ExprText register_cap;             // --maxrregcount; empty: the role, else none; 0: none
  ExprText min_blocks_per_sm;        // defines KERNTUNE_MIN_BLOCKS_PER_SM if above 0; empty: the role, else not defined
  std::string unavailable;  // why there is no text; such a spec describes a space only (KernelSpec::launchable)
  // The engine also defines KERNTUNE_BLOCK_THREADS (product of the first launch step's block expressions) when those
  // do not depend on `regs` or `blocks_per_sm` and the text or a header mentions the name.
  bool operator==(const SourceCode&) const = default;
};

/// prepare / launch / teardown callbacks of the plugin.
struct CallableCode {
  enum class Runs : std::uint8_t { host, cuda };
  Runs runs = Runs::host;
  std::string revision;                          // the author's: part of the identity of an evaluation
  std::map<std::string, std::string> libraries;  // name -> version, part of the identity
  bool operator==(const CallableCode&) const = default;
};
using Code = std::variant<SourceCode, CallableCode>;

/// A simple GPU kernel that computes the expected outputs, into buffers of its own.
struct ReferenceKernel {
  SourceCode code;
  std::vector<Step> steps;  // expressions read dims, device properties and derived names that depend on nothing else
  bool operator==(const ReferenceKernel&) const = default;
};
struct Reference {
  bool host = false;                               // the plugin has a reference callback
  std::optional<ReferenceKernel> kernel;           // preferred on CUDA devices
  std::map<std::string, std::int64_t> check_dims;  // sizes at which `kernel` is checked against `host`
  bool any() const noexcept { return host || kernel.has_value(); }
  bool operator==(const Reference&) const = default;
};

/// An element passes if |out - expected| <= abs + rel * |expected|; NaN and infinity only where they are expected.
/// With `reduction`, what is not given of both is derived from it (docs/measuring.md, "Tolerances").
struct Tolerance {
  std::string buffer;
  ExprText abs;                      // may read dims; empty: derived, else 0
  ExprText rel;                      // empty: derived, else 0
  ExprText reduction;                // how many terms are summed into an element; empty: nothing is derived
  ExprText magnitude;                // of the largest term; empty: 1
  std::optional<DType> accumulator;  // what they are summed in; none: the buffer's type
  std::string reason;                // why this much is right
  bool operator==(const Tolerance&) const = default;
};

/// For rooflines; empty: unknown.
struct Work {
  ExprText flop;
  ExprText bytes;
  bool operator==(const Work&) const = default;
};

struct KernelSpec {
  std::string name;
  std::string revision;
  std::string summary;
  std::vector<Dim> dims;
  std::vector<ParamSpec> params;
  std::vector<ExprText> constraints;
  std::vector<Derived> derived;
  std::vector<ExprText> applicability;
  std::vector<BufferSpec> buffers;
  Code code;
  std::vector<Step> steps;  // none for callable code
  std::vector<SymbolBinding> symbols;
  Reference reference;
  std::vector<Tolerance> tolerances;
  Work work;

  bool is_source() const noexcept { return std::holds_alternative<SourceCode>(code); }
  /// False for a spec that describes a space only: a definition without code, a T1 file whose source is missing or not
  /// CUDA, a recording. SourceCode::unavailable says why. Such a spec can be counted, sampled and replayed.
  bool launchable() const noexcept;
  const Dim& batch_dim() const;
  bool operator==(const KernelSpec&) const = default;
};

/// Parses and validates one spec document: structure, types, unique names, every expression (each compiled, with a
/// caret in the message), defaults in their lists and within the constraints, buffers and roles that exist, exactly one
/// batch dim. Unknown members are errors that name the nearest known one. `origin` names the document where it has no
/// name of its own. Errors: SpecError.
KernelSpec parse_spec(std::string_view json, std::string_view origin);

/// Canonical JSON text: parse_spec(to_json(spec)) == spec, members in declared order, defaults left out.
std::string to_json(const KernelSpec& spec);

/// Loads a spec file: a kerntune spec (its "code"."file" and headers read from beside it where "text" is absent) or a
/// T1 file (Kernel Tuner / BAT / KTT; docs/t1-files.md) plus its .cu, a bare space definition
/// {"name","params","constraints"}, or a recording (replay.hpp; its space). The last two are not launchable(). Errors:
/// SpecError naming file and place.
KernelSpec load_spec_file(const std::string& path);

/// Digests (SHA-256, hex) of what an evaluation depends on; see docs/architecture.md, "Identity". Each is over a
/// version tag and length-prefixed fields, so that no two different lists of fields give the same bytes.
std::string code_digest(const KernelSpec& spec);   // source, headers, entry, options, steps, args, geometry, fills;
                                                   // callable: revision, libraries
std::string space_digest(const KernelSpec& spec);  // params, values, constraints
/// Reference, tolerances. `host_code` says which code a host reference is (a plugin's build-id), for the spec cannot.
std::string reference_digest(const KernelSpec& spec, std::string_view host_code = {});

}  // namespace kerntune
