// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <kerntune/core/device.hpp>
#include <kerntune/core/plugin_host.hpp>

#include "buffers.hpp"
#include "graph.hpp"
#include "inspect.hpp"
#include "launch.hpp"

namespace kerntune::cuda {

/// A value for a __constant__ or __device__ symbol, copied before the steps run.
struct SymbolCopy {
  CUdeviceptr target = 0;
  ArgPlan value;  // scalar, or the buffer that it comes from
  std::uint64_t bytes = 0;
  std::string symbol;
};

/// One configuration, ready to launch on a session's stream.
class CudaPrepared : public Prepared {
 public:
  CudaPrepared(Context& context, BufferSet buffer_set) : buffers(std::move(buffer_set)), context_(context) {}

  const Facts& facts() const noexcept override { return fact_map; }

  /// Puts the device into the state that the configuration expects: function attributes, symbols. Buffers are filled
  /// already.
  void activate();
  /// Enqueues one run: the steps, or the plugin's launch.
  void enqueue();
  /// Enqueues `count` runs back to back, on the rotated buffers in turn if there are any.
  void enqueue(int count);
  /// `count` runs as one graph, captured at the first call with this count.
  Graph& graph(int count);
  /// More sets of buffers that runs may take turns with. Their inputs are the caller's to fill. Source kernels only.
  void rotate_over(std::vector<BufferSet> more);
  std::size_t bytes() const noexcept;
  /// Operations that one run puts on the stream (a guess for callables).
  std::size_t operations() const noexcept { return callable ? kCallableOperations : steps.size(); }

  BufferSet buffers;
  std::vector<BufferSet> rotated;  // beside `buffers`
  StepList steps;
  std::vector<SymbolCopy> symbols;
  std::optional<PreparedCallable> callable;
  std::vector<std::shared_ptr<LoadedModule>> modules;  // shared with other configurations of the same code
  std::vector<SpecProgram::Limits> tolerances;         // per buffer
  Facts fact_map;
  std::uint64_t serial = 0;  // unlike addresses, never used twice in a session
  bool launched = false;     // the first launch loads code
  int runs = 0;              // per sample, as the timer chose; 0: not yet
  bool verified = false;     // its last verification passed

 private:
  static constexpr std::size_t kCallableOperations = 8;

  Context& context_;
  std::vector<StepList> rotated_steps_;  // as `rotated`
  std::size_t turn_ = 0;                 // of the rotation
  int graph_runs_ = 0;
  std::optional<Graph> graph_;
};

}  // namespace kerntune::cuda
