// SPDX-License-Identifier: Apache-2.0
#include "prepared.hpp"

#include <fmt/format.h>

namespace kerntune::cuda {

void CudaPrepared::activate() {
  steps.activate();
  const DriverApi& api = context_.api();
  for (const SymbolCopy& copy : symbols) {
    const CUresult done =
        copy.value.kind == ArgPlan::Kind::pointer
            ? api.copy_on_device(copy.target, buffers.data(copy.value.buffer) + copy.value.offset_bytes, copy.bytes,
                                 context_.stream())
            : api.copy_to_device(copy.target, copy.value.scalar.data(), copy.bytes, context_.stream());
    context_.check(done, fmt::format("set symbol '{}'", copy.symbol));
  }
}

void CudaPrepared::enqueue() {
  if (!callable) {
    steps.enqueue();
    return;
  }
  if (auto launched_ok = callable->launch(context_.stream()); !launched_ok) throw Rejected(launched_ok.error());
}

void CudaPrepared::enqueue(int count) {
  for (int i = 0; i < count; ++i) {
    const std::size_t set = turn_;
    turn_ = (turn_ + 1) % (rotated_steps_.size() + 1);
    if (set == 0)
      enqueue();
    else
      rotated_steps_[set - 1].enqueue();
  }
}

Graph& CudaPrepared::graph(int count) {
  if (!graph_ || graph_runs_ != count) {
    graph_.reset();
    graph_.emplace(context_, [&] { enqueue(count); });
    graph_runs_ = count;
  }
  return *graph_;
}

void CudaPrepared::rotate_over(std::vector<BufferSet> more) {
  rotated = std::move(more);
  rotated_steps_.clear();
  for (const BufferSet& set : rotated) rotated_steps_.push_back(steps.on(set));
  graph_.reset();
}

std::size_t CudaPrepared::bytes() const noexcept {
  std::size_t sum = 0;
  for (const BufferPlan& plan : buffers.plans()) sum += plan.bytes;
  return sum;
}

}  // namespace kerntune::cuda
