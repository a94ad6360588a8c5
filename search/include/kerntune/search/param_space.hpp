// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <kerntune/expr/value.hpp>
#include <kerntune/search/rng.hpp>

namespace kerntune::search {

/// A tunable: its name and the values it may take, in declared order. "Adjacent" means next in this order.
struct Param {
  std::string name;
  std::vector<expr::Literal> values;
};

/// One point of a space: for each parameter, in declared order, the index of its value.
using Config = std::vector<std::uint32_t>;

/// Number of configurations, and index of one. Exact in 128 bits.
using Count = Uint128;
std::string to_string(Count count);

/// A broken space definition: duplicate names, empty or repeated values, a constraint that does not compile,
/// constraints that couple too many parameters; or a configuration that parse() does not understand.
class SpaceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The valid configurations of a list of parameters under constraints, addressable by index without ever being
/// listed. Indices run from 0 to count()-1; their order depends on the definition only.
///
/// A constraint is an expression over parameter names that must be true. One whose evaluation fails (division by
/// zero, say) on a combination rejects that combination and is counted in evaluation_errors().
///
/// Threads: immutable after construction.
class ParamSpace {
 public:
  /// Errors: SpaceError, naming the parameter or constraint; also if count() would not fit 128 bits.
  /// Cost: depends on what the constraints have to remember (docs/expressions.md), not on count(): below 10 ms for
  /// all recorded spaces. Beyond a million partial configurations to be told apart it is refused.
  static ParamSpace build(std::vector<Param> params, const std::vector<std::string>& constraints);

  std::span<const Param> params() const noexcept;
  Count count() const noexcept;
  /// Size of the Cartesian product before constraints, as a real (for display).
  double product() const noexcept;
  bool empty() const noexcept { return count() == 0; }

  /// Requires: index < count(). Errors: std::out_of_range otherwise.
  Config at(Count index) const;
  /// Nothing if the configuration violates a constraint or is not of this space.
  std::optional<Count> index_of(const Config& config) const;
  bool contains(const Config& config) const { return index_of(config).has_value(); }
  /// Uniform over valid configurations. Requires: !empty().
  Config sample(Rng& rng) const;

  enum class Neighbourhood {
    adjacent,  // one parameter changes to the value before or after it
    hamming,   // one parameter changes to any other value
  };
  /// Valid neighbours, in parameter order then value order.
  std::vector<Config> neighbours(const Config& config, Neighbourhood kind) const;

  /// Values in declared parameter order; borrowed from this space.
  std::vector<expr::Value> values(const Config& config) const;
  /// "block_x=128,precision=fp16": declared parameter order, expr::to_text values.
  std::string text(const Config& config) const;
  /// Parses text() in any parameter order; parameters with a single value may be left out.
  /// Errors: SpaceError naming what is wrong (unknown or missing parameter, value not in the list, with the list).
  Config parse(std::string_view text) const;
  /// The same; parameters that are left out take their value in `rest`. Requires: `rest` has a value for each.
  Config parse(std::string_view text, const Config& rest) const;

  /// Evaluations of constraints that failed while the space was built. Each rejects all configurations that agree in
  /// the parameters that were chosen by then, so `count` is not a number of configurations; it is 0 if and only if
  /// nothing was rejected for such a reason.
  struct EvaluationErrors {
    std::uint64_t count = 0;
    std::string first;  // message with caret and values
  };
  const EvaluationErrors& evaluation_errors() const noexcept;
  /// Bytes held to represent the configurations.
  std::size_t memory_bytes() const noexcept;

 private:
  struct Tree;  // param_space.cpp
  explicit ParamSpace(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)) {}
  std::shared_ptr<const Tree> tree_;  // shared by copies; immutable
};

}  // namespace kerntune::search
