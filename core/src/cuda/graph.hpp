// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "context.hpp"

namespace kerntune::cuda {

/// Work captured from the context's stream, launched as one operation. Move-only would do; never moved. Borrows the
/// context.
class Graph {
 public:
  /// Captures what `enqueue` puts on the stream. Errors: Rejected; what `enqueue` throws, with the capture ended.
  Graph(Context& context, const std::function<void()>& enqueue);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch();

 private:
  Context& context_;
  CUgraphExec executable_ = nullptr;
};

}  // namespace kerntune::cuda
