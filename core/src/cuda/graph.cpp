// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

namespace kerntune::cuda {
namespace {

constexpr const char* kCapture =
    "capture one run as a graph (a launch callback may only enqueue on its stream: no allocation, no synchronisation, "
    "no other "
    "stream)";

CUgraph captured(Context& context, const std::function<void()>& enqueue) {
  const DriverApi& api = context.api();
  context.check(api.stream_begin_capture(context.stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), kCapture);
  CUgraph graph = nullptr;
  try {
    enqueue();
  } catch (...) {
    api.stream_end_capture(context.stream(), &graph);
    if (graph != nullptr) api.graph_destroy(graph);
    throw;
  }
  context.check(api.stream_end_capture(context.stream(), &graph), kCapture);
  return graph;
}

}  // namespace

Graph::Graph(Context& context, const std::function<void()>& enqueue) : context_(context) {
  const CUgraph graph = captured(context, enqueue);
  const CUresult made = context.api().graph_instantiate(&executable_, graph, 0);
  context.api().graph_destroy(graph);
  context.check(made, "instantiate one run as a graph");
}

Graph::~Graph() { context_.api().graph_exec_destroy(executable_); }

void Graph::launch() {
  context_.check(context_.api().graph_launch(executable_, context_.stream()), "launch one run as a graph");
}

}  // namespace kerntune::cuda
