// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <kerntune/core/plugin_host.hpp>
#include <kerntune/core/spec_program.hpp>

#include "guarded_buffer.hpp"

namespace kerntune::cuda {

/// The buffers of one configuration, in the spec's order. Copies share the memory: so do configurations that need
/// buffers of equal sizes, and each is alive while one of them is.
class BufferSet {
 public:
  BufferSet() = default;
  BufferSet(EngineKernels& kernels, std::vector<BufferPlan> plans, std::vector<std::shared_ptr<GuardedBuffer>> memory)
      : kernels_(&kernels), plans_(std::move(plans)), memory_(std::move(memory)) {}

  std::span<const BufferPlan> plans() const noexcept { return plans_; }
  std::size_t size() const noexcept { return plans_.size(); }
  CUdeviceptr data(std::size_t index) const { return memory_[index]->data(); }
  Elements elements(std::size_t index) const { return {data(index), plans_[index].count, plans_[index].dtype}; }
  /// Shared with the configurations that use this memory, and the pool.
  const std::shared_ptr<GuardedBuffer>& memory(std::size_t index) const { return memory_[index]; }
  std::vector<BoundBuffer> bound() const;

  /// Fills `in` buffers that do not hold `seed`'s values yet.
  void fill_inputs(std::uint64_t seed);
  /// Fills `inout` buffers, which a launch has changed.
  void reset_inouts(std::uint64_t seed);
  bool has_inouts() const noexcept;
  /// Writes poison_bits(seed, run) into outputs and workspaces.
  void poison(std::uint64_t seed, unsigned run);
  void write_guards();

  /// Throws Rejected out_of_bounds if a guard zone or an `in` buffer is not as it was; `who` begins the message.
  void check_untouched(std::uint64_t seed, std::string_view who);
  /// Inputs may have been overwritten: fill them at the next use.
  void distrust_inputs() noexcept;

 private:
  void fill(std::size_t index, std::uint64_t seed);

  EngineKernels* kernels_ = nullptr;
  std::vector<BufferPlan> plans_;
  std::vector<std::shared_ptr<GuardedBuffer>> memory_;
};

bool is_output(BufferRole role) noexcept;

/// A run under observation. The second run of a seed is disturbed and finds other poison than the first.
struct WatchedRun {
  std::uint64_t seed = 0;
  unsigned run = 0;      // 0 or 1
  std::string_view who;  // begins messages: "the kernel"
};

/// Fills, resets, poisons and guards the buffers, calls `enqueue`, waits, and checks that nothing was written that must
/// not be. Errors: Rejected.
void run_watched(Context& context, EngineKernels& kernels, BufferSet& buffers, const WatchedRun& watched,
                 const std::function<void()>& enqueue);

/// Makes buffers and shares them between configurations. Keeps those of the last configuration alive in between.
class BufferPool {
 public:
  /// Borrows both. `relieve` frees what else the session can spare; it is called when memory runs out, before the
  /// second and last try.
  BufferPool(Context& context, EngineKernels& kernels, std::function<void()> relieve)
      : context_(context), kernels_(kernels), relieve_(std::move(relieve)) {}

  /// Errors: Rejected out_of_memory.
  BufferSet acquire(std::vector<BufferPlan> plans);
  /// Frees buffers that no configuration uses.
  void drop_idle();

 private:
  std::shared_ptr<GuardedBuffer> acquire_one(const BufferPlan& plan, unsigned index);
  std::shared_ptr<GuardedBuffer> make(const BufferPlan& plan, unsigned index);

  struct Slot {
    std::vector<std::weak_ptr<GuardedBuffer>> live;
    std::shared_ptr<GuardedBuffer> last;  // shared with the configurations that use it
  };

  Context& context_;
  EngineKernels& kernels_;
  std::function<void()> relieve_;
  std::vector<Slot> slots_;
};

}  // namespace kerntune::cuda
