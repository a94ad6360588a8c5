// SPDX-License-Identifier: Apache-2.0
#include "buffers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "measure/compare.hpp"
#include "measure/fill.hpp"

namespace kerntune::cuda {

bool is_output(BufferRole role) noexcept { return role == BufferRole::out || role == BufferRole::inout; }

std::vector<BoundBuffer> BufferSet::bound() const {
  std::vector<BoundBuffer> bound;
  for (std::size_t i = 0; i < size(); ++i)
    bound.push_back({plans_[i].name, plans_[i].dtype, reinterpret_cast<void*>(data(i)), plans_[i].count});
  return bound;
}

void BufferSet::fill(std::size_t index, std::uint64_t seed) {
  const BufferPlan& plan = plans_[index];
  kernels_->fill(elements(index), fill::params_for(plan.dtype, plan.fill, seed, static_cast<unsigned>(index)));
}

void BufferSet::fill_inputs(std::uint64_t seed) {
  for (std::size_t i = 0; i < size(); ++i) {
    if (plans_[i].role != BufferRole::in || memory_[i]->filled_from == seed) continue;
    fill(i, seed);
    memory_[i]->filled_from = seed;
  }
}

void BufferSet::reset_inouts(std::uint64_t seed) {
  for (std::size_t i = 0; i < size(); ++i)
    if (plans_[i].role == BufferRole::inout) fill(i, seed);
}

bool BufferSet::has_inouts() const noexcept {
  return std::ranges::any_of(plans_, [](const BufferPlan& plan) { return plan.role == BufferRole::inout; });
}

void BufferSet::poison(std::uint64_t seed, unsigned run) {
  for (std::size_t i = 0; i < size(); ++i) {
    const BufferPlan& plan = plans_[i];
    if (plan.count == 0 || plan.role == BufferRole::in || plan.role == BufferRole::inout) continue;
    kernels_->fill_constant(elements(i), poison_bits(plan.dtype, seed, run));
  }
}

void BufferSet::write_guards() {
  for (const auto& buffer : memory_) buffer->write_guards();
}

void BufferSet::check_untouched(std::uint64_t seed, std::string_view who) {
  for (const auto& buffer : memory_)
    if (const auto damage = buffer->guard_damage())
      throw Rejected(Reason::out_of_bounds, fmt::format("{} {}", who, *damage));
  for (std::size_t i = 0; i < size(); ++i) {
    const BufferPlan& plan = plans_[i];
    if (plan.role != BufferRole::in) continue;
    const CheckResult changed =
        kernels_->check_fill(elements(i), fill::params_for(plan.dtype, plan.fill, seed, static_cast<unsigned>(i)));
    if (changed.count != 0)
      throw Rejected(Reason::out_of_bounds,
                     fmt::format("{} changed its input '{}': {} of {} elements, the first is {}[{}]", who, plan.name,
                                 changed.count, plan.count, plan.name, changed.first));
  }
}

void BufferSet::distrust_inputs() noexcept {
  for (const auto& buffer : memory_) buffer->filled_from.reset();
}

void run_watched(Context& context, EngineKernels& kernels, BufferSet& buffers, const WatchedRun& watched,
                 const std::function<void()>& enqueue) {
  buffers.fill_inputs(watched.seed);
  buffers.reset_inouts(watched.seed);
  buffers.poison(watched.seed, watched.run);
  buffers.write_guards();
  const bool disturbed = watched.run > 0;
  if (disturbed) {
    context.synchronize("fill the buffers");  // else the disturbance is over before the launch
    kernels.disturb(watched.seed);
  }
  enqueue();
  context.synchronize(fmt::format("run {}", watched.who));
  if (disturbed) kernels.end_disturbance();
  buffers.check_untouched(watched.seed, watched.who);
}

BufferSet BufferPool::acquire(std::vector<BufferPlan> plans) {
  slots_.resize(plans.size());
  std::vector<std::shared_ptr<GuardedBuffer>> memory;
  for (std::size_t i = 0; i < plans.size(); ++i) memory.push_back(acquire_one(plans[i], static_cast<unsigned>(i)));
  return {kernels_, std::move(plans), std::move(memory)};
}

std::shared_ptr<GuardedBuffer> BufferPool::acquire_one(const BufferPlan& plan, unsigned index) {
  Slot& slot = slots_[index];
  std::erase_if(slot.live, [](const auto& buffer) { return buffer.expired(); });
  for (const auto& candidate : slot.live)
    if (auto buffer = candidate.lock(); buffer->fits(plan)) return slot.last = std::move(buffer);
  slot.last.reset();  // frees it unless a configuration uses it: room for the new one
  slot.last = make(plan, index);
  slot.live.push_back(slot.last);
  return slot.last;
}

std::shared_ptr<GuardedBuffer> BufferPool::make(const BufferPlan& plan, unsigned index) {
  try {
    return std::make_shared<GuardedBuffer>(context_, kernels_, plan, index);
  } catch (const Rejected& rejected) {
    if (rejected.rejection().reason != Reason::out_of_memory) throw;
  }
  relieve_();
  return std::make_shared<GuardedBuffer>(context_, kernels_, plan, index);
}

void BufferPool::drop_idle() {
  for (Slot& slot : slots_)
    if (slot.last.use_count() == 1) slot.last.reset();
}

}  // namespace kerntune::cuda
