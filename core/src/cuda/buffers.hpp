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
  /// Writes what nobody wrote into outputs and workspaces: NaNs, or a byte that depends on the seed.
  void poison(Context& context, std::uint64_t seed);
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

/// One run under observation: fills, resets, poisons and guards the buffers from `seed`, calls `enqueue`, waits, and
/// checks that nothing was written that must not be. Errors: Rejected; `who` ("the kernel") begins the message.
void run_watched(Context& context, BufferSet& buffers, std::uint64_t seed, std::string_view who,
                 const std::function<void()>& enqueue);

/// Byte that poison writes into a buffer of this type, and the element that it makes. Reals become NaNs of a pattern
/// that no arithmetic produces; for integers the byte changes with the seed, so that no value escapes on every seed.
unsigned char poison_byte(DType type, std::uint64_t seed) noexcept;
std::uint64_t poison_bits(DType type, std::uint64_t seed) noexcept;

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
