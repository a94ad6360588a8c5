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

Graph& CudaPrepared::graph() {
  if (!graph_) graph_.emplace(context_, [this] { enqueue(); });
  return *graph_;
}

}  // namespace kerntune::cuda
