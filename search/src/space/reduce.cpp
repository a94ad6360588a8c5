// SPDX-License-Identifier: Apache-2.0
#include "reduce.hpp"

#include <algorithm>

#include "interner.hpp"

namespace kerntune::search::detail {
namespace {

constexpr std::uint32_t kDead = UINT32_MAX;

Count checked_sum(Count a, Count b) {
  const Count sum = a + b;
  if (sum < a) {
    throw SpaceError("the space has more than 2^128 - 1 valid configurations; give it fewer parameters or values");
  }
  return sum;
}

/// One layer, rewritten in place: what is written never overtakes what is read.
class LayerReduction {
 public:
  LayerReduction(Diagram& diagram, std::size_t level, const std::vector<std::uint32_t>& children)
      : diagram_(diagram), level_(level), layer_(diagram.layers[level]), children_(children) {}

  /// Returns the new number of every old node, or kDead.
  std::vector<std::uint32_t> run() {
    const std::vector<std::uint32_t> old_first = std::move(layer_.first);
    layer_.first = {0};
    std::vector<std::uint32_t> renumbered(old_first.size() - 1);
    for (std::size_t node = 0; node + 1 < old_first.size(); ++node) {
      renumbered[node] = rewrite(old_first[node], old_first[node + 1]);
    }
    layer_.edges.resize(layer_.first.back());
    layer_.edges.shrink_to_fit();
    return renumbered;
  }

 private:
  std::uint32_t rewrite(std::uint32_t begin, std::uint32_t end) {
    Count count = 0;
    std::uint64_t hash = 0;
    std::uint32_t to = layer_.first.back();
    for (std::uint32_t from = begin; from < end; ++from) {
      Diagram::Edge edge = layer_.edges[from];
      edge.child = children_[edge.child];
      if (edge.child != kDead) {
        count = checked_sum(count, diagram_.count_below(level_ + 1, edge.child));
        hash = mix(hash, std::uint64_t{edge.value} << 32 | edge.child);
        layer_.edges[to++] = edge;
      }
    }
    return count == 0 ? kDead : enter(hash, to, count);
  }

  std::uint32_t enter(std::uint64_t hash, std::uint32_t end, Count count) {
    const auto fresh = static_cast<std::uint32_t>(layer_.counts.size());
    const auto* const edges = layer_.edges.data();
    const std::span written(edges + layer_.first.back(), edges + end);
    const std::uint32_t node = known_.find_or_add(hash, fresh, [&](std::uint32_t other) {
      const auto known = layer_.edges_of(other);
      return std::ranges::equal(known, written);
    });
    if (node == fresh) {
      layer_.first.push_back(end);
      layer_.counts.push_back(count);
    }
    return node;
  }

  Diagram& diagram_;
  std::size_t level_;
  Diagram::Layer& layer_;
  const std::vector<std::uint32_t>& children_;
  IndexTable known_;
};

}  // namespace

void reduce(Diagram& diagram) {
  std::vector<std::uint32_t> children = {0};
  for (std::size_t level = diagram.layers.size(); level-- > 0;) {
    children = LayerReduction(diagram, level, children).run();
  }
  diagram.count = children.front() == kDead ? 0 : diagram.count_below(0, 0);
}

}  // namespace kerntune::search::detail
