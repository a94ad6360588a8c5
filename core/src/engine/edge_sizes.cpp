// SPDX-License-Identifier: Apache-2.0
#include "engine/edge_sizes.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace kerntune {
namespace {

/// Parameter values above this are no tile sizes: bytes, seeds, masks.
constexpr std::int64_t kLargestTile = 4096;
/// Values tried beside a place.
constexpr std::int64_t kNeighbourhood = 64;

class Edges {
 public:
  Edges(const SpecProgram& program, const search::Config& config, const Dims& tuned, const DeviceProperties& device,
        bool with_default)
      : program_(program), tuned_(tuned), device_(device) {
    configs_.push_back(config);
    if (with_default) configs_.push_back(program.default_config());
    for (const ParamSpec& param : program.spec().params)
      for (const expr::Literal& value : param.values)
        if (const auto* tile = std::get_if<std::int64_t>(&value); tile != nullptr && *tile > 1 && *tile <= kLargestTile)
          tiles_.insert(*tile);
  }

  std::vector<Dims> all() {
    const auto smallest = [&](const Dim& dim) { return small_values(dim); };
    const auto one_batch = [&](const Dim& dim) { return dim.batch ? small_values(dim) : Values{}; };
    add(smallest);
    add(one_batch);
    add([&](const Dim& dim) { return ragged_values(dim, largest_tile(), 1); });
    add([&](const Dim& dim) { return ragged_values(dim, tuned_.at(dim.name), -1); });
    return std::move(found_);
  }

 private:
  using Values = std::vector<std::int64_t>;

  std::int64_t largest_tile() const { return tiles_.empty() ? 1 : *tiles_.rbegin(); }

  /// Ascending from the least allowed one, close together at first.
  Values small_values(const Dim& dim) const {
    constexpr std::int64_t kEach = 16;
    std::set<std::int64_t> values;
    for (std::int64_t v = dim.min; v < dim.min + kEach; ++v) values.insert(v);
    for (std::int64_t v = kEach; v < tuned_.at(dim.name); v *= 2) values.insert(v);
    values.insert(tiles_.begin(), tiles_.end());
    values.erase(0);  // an empty problem has nothing to be right about
    return clipped(dim, {values.begin(), values.end()});
  }

  /// From `place` on, without it, upwards or downwards: the multiples of the fewest tiles first, then the nearest.
  Values ragged_values(const Dim& dim, std::int64_t place, std::int64_t step) const {
    Values values;
    for (std::int64_t i = 1; i <= kNeighbourhood; ++i) values.push_back(place + i * step);
    std::erase_if(values, [](std::int64_t v) { return v < 1; });
    const auto multiples = [&](std::int64_t v) {
      return std::count_if(tiles_.begin(), tiles_.end(), [&](std::int64_t tile) { return v % tile == 0; });
    };
    std::stable_sort(values.begin(), values.end(),
                     [&](std::int64_t a, std::int64_t b) { return multiples(a) < multiples(b); });
    return clipped(dim, std::move(values));
  }

  static Values clipped(const Dim& dim, Values values) {
    std::erase_if(values, [&](std::int64_t v) { return v < dim.min || v > dim.max; });
    return values;
  }

  void add(const std::function<Values(const Dim&)>& values_of) {
    Dims dims = tuned_;
    for (const Dim& dim : program_.spec().dims) {
      for (const std::int64_t value : values_of(dim)) {
        Dims trial = dims;
        trial[dim.name] = value;
        if (!applicable(trial)) continue;
        dims = std::move(trial);
        break;
      }
    }
    if (dims != tuned_ && fits(dims) && std::find(found_.begin(), found_.end(), dims) == found_.end())
      found_.push_back(std::move(dims));
  }

  bool applicable(const Dims& dims) const {
    return std::all_of(configs_.begin(), configs_.end(), [&](const search::Config& config) {
      const auto binding = program_.bind(config, dims, device_);
      return binding && program_.applicable(*binding);
    });
  }

  bool fits(const Dims& dims) const {
    const auto binding = program_.bind(configs_.front(), dims, device_);
    const auto plans = binding ? program_.buffers(*binding) : tl::unexpected(binding.error());
    if (!plans) return false;
    std::uint64_t bytes = 0;
    for (const BufferPlan& plan : *plans) bytes += plan.bytes;
    return bytes <= kMaxEdgeBytes;
  }

  const SpecProgram& program_;
  const Dims& tuned_;
  const DeviceProperties& device_;
  std::vector<search::Config> configs_;
  std::set<std::int64_t> tiles_;
  std::vector<Dims> found_;
};

}  // namespace

std::vector<Dims> edge_sizes(const SpecProgram& program, const search::Config& config, const Dims& tuned,
                             const DeviceProperties& device, bool with_default) {
  return Edges(program, config, tuned, device, with_default).all();
}

}  // namespace kerntune
