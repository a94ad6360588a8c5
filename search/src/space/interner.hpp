// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "graph.hpp"
#include "hash.hpp"

namespace kerntune::search::detail {

/// A hash table from things to their indices; the things themselves live elsewhere. Open addressing, linear probing.
class IndexTable {
 public:
  /// The index of a thing with this hash for which `same(index)` holds, or `fresh` after entering it.
  template <class Same>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t fresh, Same&& same) {
    if (2 * (used_ + 1) > slots_.size()) {
      grow();
    }
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (std::size_t at = tag & mask();; at = (at + 1) & mask()) {
      Slot& slot = slots_[at];
      if (slot.index == kEmpty) {
        slot = {tag, fresh};
        ++used_;
        return fresh;
      }
      if (slot.tag == tag && same(slot.index)) {
        return slot.index;
      }
    }
  }

 private:
  static constexpr std::uint32_t kEmpty = UINT32_MAX;
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t index = kEmpty;
  };

  std::size_t mask() const noexcept { return slots_.size() - 1; }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.index != kEmpty) {
        std::size_t at = slot.tag & mask();
        while (slots_[at].index != kEmpty) {
          at = (at + 1) & mask();
        }
        slots_[at] = slot;
      }
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

/// The outcome of evaluating a node: a value, or an error and the node where it arose.
struct Cell {
  expr::Value value;
  expr::EvalErrorCode error = expr::EvalErrorCode::none;
  NodeId origin = kNoNode;
};

/// Numbers the different outcomes of a node.
class CellInterner {
 public:
  std::uint32_t intern(const Cell& cell) {
    const bool failed = cell.error != expr::EvalErrorCode::none;
    const Cell key = {failed ? expr::Value() : cell.value, cell.error, failed ? cell.origin : kNoNode};
    const auto fresh = static_cast<std::uint32_t>(cells_.size());
    const std::uint32_t index = table_.find_or_add(mix(hash_of(key.value), key.origin), fresh, [&](std::uint32_t i) {
      return cells_[i].error == key.error && cells_[i].origin == key.origin && identical(cells_[i].value, key.value);
    });
    if (index == fresh) {
      cells_.push_back(key);
    }
    return index;
  }
  const Cell& operator[](std::uint32_t index) const { return cells_[index]; }

 private:
  std::vector<Cell> cells_;
  IndexTable table_;
};

/// Numbers different tuples of one width.
class TupleInterner {
 public:
  explicit TupleInterner(std::size_t width) : width_(width) {}

  std::uint32_t intern(std::span<const std::uint32_t> tuple) {
    std::uint64_t hash = width_;
    for (const std::uint32_t id : tuple) {
      hash = mix(hash, id);
    }
    const std::uint32_t index = table_.find_or_add(hash, size_, [&](std::uint32_t i) {
      const auto known = (*this)[i];
      return std::ranges::equal(known, tuple);
    });
    if (index == size_) {
      ids_.insert(ids_.end(), tuple.begin(), tuple.end());
      ++size_;
    }
    return index;
  }
  std::span<const std::uint32_t> operator[](std::uint32_t index) const {
    return std::span(ids_).subspan(index * width_, width_);
  }
  std::uint32_t size() const noexcept { return size_; }

 private:
  std::size_t width_;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> ids_;
  IndexTable table_;
};

}  // namespace kerntune::search::detail
