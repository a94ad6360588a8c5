// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kerntune/core/plugin_host.hpp>
#include <kerntune/core/spec_program.hpp>

namespace kerntune {

/// Host memory of one buffer between two guard zones. Move-only.
class GuardedMemory {
 public:
  GuardedMemory(std::uint64_t bytes, std::uint64_t alignment);  // throws std::bad_alloc
  unsigned char* data() noexcept { return data_; }
  const unsigned char* data() const noexcept { return data_; }
  void write_guards() noexcept;
  /// Offset relative to the buffer of a guard byte that was overwritten, if any.
  bool guards_intact(std::int64_t* offset) const noexcept;

 private:
  struct Free {
    void operator()(unsigned char* p) const noexcept;
  };
  std::unique_ptr<unsigned char[], Free> block_;
  unsigned char* data_ = nullptr;
  std::uint64_t bytes_ = 0, front_ = 0, back_ = 0;
};

/// All buffers of a kernel at one size, made, filled, poisoned and guarded by the engine.
class HostBuffers {
 public:
  explicit HostBuffers(std::vector<BufferPlan> plans);  // throws std::bad_alloc

  const std::vector<BufferPlan>& plans() const noexcept { return plans_; }
  /// Inputs and inout from `seed`; outputs and workspaces poisoned as poison_bits(seed, run) says; guard zones written
  /// anew, so that nobody is blamed for what ran before.
  void reset(std::uint64_t seed, unsigned run = 0);
  /// Only what a timed run reads: inputs, unless they hold this seed's values already, and inouts.
  void prepare_inputs(std::uint64_t seed);
  /// Inputs may have been overwritten: fill them at the next use.
  void distrust_inputs() noexcept { inputs_from_.reset(); }
  /// What an element of an output holds that was not written since the last reset.
  std::uint64_t poison(std::size_t buffer) const noexcept;
  /// Outputs zeroed instead of poisoned: what a reference callback gets.
  void reset_for_reference(std::uint64_t seed);
  std::vector<BoundBuffer> bound();
  unsigned char* data(std::size_t buffer) { return memory_[buffer].data(); }

  /// Empty if every guard zone and every `in` buffer is as it was; else what was overwritten.
  std::string damage(std::uint64_t seed) const;
  /// Evicts all buffers from the CPU's caches.
  void evict() const;

 private:
  void fill_inputs(std::uint64_t seed);
  std::vector<BufferPlan> plans_;
  std::vector<GuardedMemory> memory_;
  std::optional<std::uint64_t> inputs_from_;  // the seed whose values the inputs hold
  std::uint64_t poison_seed_ = 0;
  unsigned poison_run_ = 0;
};

/// True if two lists of plans ask for the same memory.
bool same_memory(std::span<const BufferPlan> a, std::span<const BufferPlan> b);

}  // namespace kerntune
