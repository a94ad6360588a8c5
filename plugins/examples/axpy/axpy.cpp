// SPDX-License-Identifier: Apache-2.0
// The teaching plugin: a kernel given as CUDA C++ text, compiled by kerntune for every configuration.
#include <string>

#include <kerntune/plugin/plugin.hpp>

#include "example_axpy_embedded.h"

namespace {

using namespace kerntune::plugin;

constexpr float kA = 2.0F;

void axpy_reference(const Call& call) {
  const auto x = call.buffer<const float>("x");
  const auto y = call.buffer<float>("y");
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = kA * x[i] + y[i];
}

Kernel axpy() {
  return kernel("example_axpy")
      .revision("1")
      .summary("y = a*x + y")
      .batch("batch", {.min = 1, .max = 4096, .def = 64})
      .dim("n", {.min = 1, .max = 1 << 20, .def = 65536})
      .param("block_x", {64, 128, 256, 512}, 128, Role::block_x)
      .param("items", {1, 2, 4, 8}, 1, "elements per thread")
      .constraint("block_x * items <= 2048")
      .derived("total", "batch * n")
      .in("x", DType::f32, "total", Fill::uniform(-1, 1))
      .inout("y", DType::f32, "total", Fill::uniform(-1, 1))
      .source({.file = "axpy.cu", .text = std::string(embedded::axpy_cu), .options = {"--std=c++17"}})
      .launch("axpy<{items}>",
              {.grid = {"ceil_div(total, block_x * items)"},
               .args = {buffer("x"), buffer("y"), scalar(DType::f32, kA), scalar(DType::i64, "total")}})
      .reference<axpy_reference>()
      .tolerance("y", {.abs = 1e-6, .rel = 1e-6, .reason = "one multiply-add, rounded once or twice"})
      .work({.flop = "2 * total", .bytes = "12 * total"});
}

}  // namespace

KERNTUNE_PLUGIN("example_axpy", "1.0", axpy());
