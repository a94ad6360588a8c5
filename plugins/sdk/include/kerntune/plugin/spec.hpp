// SPDX-License-Identifier: Apache-2.0
// The vocabulary of a kernel spec; docs/kernel-spec.md says what each member means. Authors include
// <kerntune/plugin/plugin.hpp>.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kerntune/plugin/json.hpp>

#pragma GCC visibility push(hidden)
namespace kerntune::plugin {

/// A value of a parameter: integer, real, bool or string.
using Value = detail::Scalar;
/// An expression: text such as "ceil_div(n, tile)", or a number. Default-constructed: not given, its default applies.
using Expr = detail::Scalar;

/// The values of a parameter, from a list or from any range of integers, reals, bools or strings.
class Values {
 public:
  Values(std::initializer_list<Value> values) : values_(values) {}
  template <std::ranges::input_range R>
    requires std::constructible_from<Value, std::ranges::range_value_t<R>>
  Values(const R& range)
      : values_(std::ranges::begin(range), std::ranges::end(range)) {}  // NOLINT(google-explicit-constructor)
  const std::vector<Value>& values() const noexcept { return values_; }

 private:
  std::vector<Value> values_;
};

/// What a parameter means to the launch.
enum class Role : std::uint8_t {
  none,
  block_x,
  block_y,
  block_z,
  grid_x,
  grid_y,
  grid_z,
  register_cap,
  min_blocks_per_sm,
  dynamic_shared,
  carveout,
  cluster_x,
  cluster_y,
  cluster_z,
  cooperative,
  precision,
};

enum class DType : std::uint8_t { f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64 };

namespace detail {
inline std::string_view name_of(Role role) noexcept {
  constexpr std::string_view kNames[] = {"none",     "block_x",   "block_y",      "block_z",           "grid_x",
                                         "grid_y",   "grid_z",    "register_cap", "min_blocks_per_sm", "dynamic_shared",
                                         "carveout", "cluster_x", "cluster_y",    "cluster_z",         "cooperative",
                                         "precision"};
  return kNames[static_cast<std::size_t>(role)];
}
inline std::string_view name_of(DType type) noexcept {
  constexpr std::string_view kNames[] = {"f32", "f64", "f16", "bf16", "i8", "u8", "i32", "u32", "i64", "u64"};
  return kNames[static_cast<std::size_t>(type)];
}
}  // namespace detail

/// Sizes a dim is declared for (inclusive), and the one used when none is given.
struct Range {
  std::int64_t min = 1;
  std::int64_t max = std::int64_t{1} << 40;
  std::int64_t def = 1;
};

/// How the engine fills an input.
class Fill {
 public:
  Fill() = default;  // uniform in [-1, 1)
  static Fill zero() { return Fill("zero"); }
  static Fill constant(Value a) { return Fill("constant", a); }
  static Fill uniform(Value a, Value b) { return Fill("uniform", a, b); }  // [a, b); integers: [a, b]
  static Fill normal(Value mean, Value deviation) { return Fill("normal", mean, deviation); }
  static Fill iota(Value first) { return Fill("iota", first); }  // first + index
  const std::string& json() const noexcept { return json_; }     // empty: the default

 private:
  explicit Fill(std::string_view kind, const Value& a = {}, const Value& b = {}) {
    detail::JsonObject object;
    object.text("kind", kind);
    detail::add_if(object, "a", a);
    detail::add_if(object, "b", b);
    json_ = object.json();
  }
  std::string json_;
};

/// A kernel argument, or the source of a __constant__ symbol.
class Arg {
 public:
  explicit Arg(std::string json) : json_(std::move(json)) {}
  const std::string& json() const noexcept { return json_; }

 private:
  std::string json_;
};

/// A pointer into a buffer, `offset` elements from its start.
inline Arg buffer(std::string_view name, const Expr& offset = {}) {
  detail::JsonObject object;
  object.text("buffer", name);
  detail::add_if(object, "offset", offset);
  return Arg(object.json());
}

/// A number passed by value, converted to `type`.
inline Arg scalar(DType type, const Expr& value) {
  detail::JsonObject object;
  object.text("scalar", detail::name_of(type));
  object.member("value", value.json());
  return Arg(object.json());
}

struct TensorMap {
  std::vector<Expr> dims{};             // elements, innermost first, 1 to 5
  std::vector<Expr> strides{};          // bytes, one fewer
  std::vector<Expr> box{};              // elements
  std::vector<Expr> element_strides{};  // all 1 if empty
  std::string swizzle{};                // none 32B 64B 128B
  std::string interleave{};             // none 16B 32B
  std::string l2_promotion{};           // none 64B 128B 256B
  std::string oob_fill{};               // zero nan
};

/// A CUtensorMap over a buffer, passed by value.
inline Arg tensor_map(std::string_view name, const TensorMap& map) {
  detail::JsonObject object;
  object.text("tensor_map", name);
  object.member("dims", detail::json_array(detail::to_json(map.dims)));
  object.member("strides", detail::json_array(detail::to_json(map.strides)));
  object.member("box", detail::json_array(detail::to_json(map.box)));
  object.array_if("element_strides", detail::to_json(map.element_strides));
  object.text_if("swizzle", map.swizzle).text_if("interleave", map.interleave);
  object.text_if("l2_promotion", map.l2_promotion).text_if("oob_fill", map.oob_fill);
  return Arg(object.json());
}

struct Launch {
  std::vector<Expr> grid{};     // blocks, one to three; the role, else 1
  std::vector<Expr> block{};    // threads, one to three; the role, else 1
  std::vector<Expr> cluster{};  // blocks; the role, else no cluster launch
  Expr shared_bytes{};          // dynamic; the role, else 0
  Expr carveout{};              // percent; the role, else the driver's default
  Expr cooperative{};           // the role, else false
  Expr when{};                  // always, if not given
  std::vector<Arg> args{};
};

struct Memset {
  Expr offset{};  // elements; 0
  Expr count{};   // elements; to the end
  std::int64_t byte = 0;
  Expr when{};
};

/// One step of a source kernel.
class Step {
 public:
  /// `entry` is a name expression such as "sgemm<{block_m},{block_n}>"; {name} is a param, dim or derived name.
  static Step launch(std::string_view entry, const Launch& launch) {
    detail::JsonObject object;
    object.text("kind", "launch").text("entry", entry);
    detail::add_if(object, "when", launch.when);
    object.array_if("grid", detail::to_json(launch.grid)).array_if("block", detail::to_json(launch.block));
    object.array_if("cluster", detail::to_json(launch.cluster));
    detail::add_if(object, "shared_bytes", launch.shared_bytes);
    detail::add_if(object, "carveout", launch.carveout);
    detail::add_if(object, "cooperative", launch.cooperative);
    return Step(object.array_if("args", detail::to_json(launch.args)).json());
  }
  static Step memset(std::string_view buffer, const Memset& memset) {
    detail::JsonObject object;
    object.text("kind", "memset").text("buffer", buffer);
    detail::add_if(object, "when", memset.when);
    detail::add_if(object, "offset", memset.offset);
    detail::add_if(object, "count", memset.count);
    return Step(object.member("byte", std::to_string(memset.byte)).json());
  }
  const std::string& json() const noexcept { return json_; }

 private:
  explicit Step(std::string json) : json_(std::move(json)) {}
  std::string json_;
};

/// CUDA C++ that the engine compiles for each configuration.
struct Source {
  std::string file{};  // for messages
  std::string text{};
  std::vector<std::pair<std::string, std::string>> headers{};  // as #include names it -> text
  std::vector<std::string> options{};                          // passed to NVRTC as they are
  std::vector<std::pair<std::string, Expr>> defines{};         // -Dname=value
  Expr register_cap{};                                         // registers per thread; the role, else none
  Expr min_blocks_per_sm{};                                    // defines KERNTUNE_MIN_BLOCKS_PER_SM
};

enum class Runs : std::uint8_t { host, cuda };

/// Facts about a callable that belong to its results' identity: a change of either re-measures.
struct CallableInfo {
  Runs runs = Runs::host;
  std::string revision{};
  std::vector<std::pair<std::string, std::string>> libraries{};  // name -> version
};

/// A simple GPU kernel that computes the expected outputs; uses dims, not params.
struct ReferenceKernel {
  Source source{};
  std::vector<Step> steps{};
};

/// An element passes if |out - expected| <= abs + rel * |expected|.
struct Tolerance {
  Expr abs{};  // may read dims
  Expr rel{};
  std::string reason{};  // why this much is right
};

struct Work {
  Expr flop{};
  Expr bytes{};
};

}  // namespace kerntune::plugin
#pragma GCC visibility pop
