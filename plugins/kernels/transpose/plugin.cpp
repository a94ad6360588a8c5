// SPDX-License-Identifier: Apache-2.0
// Matrix transposition: out[n,batch] is the transpose of in[batch,n].
#include <string>

#include <kerntune/plugin/plugin.hpp>

#include "transpose_embedded.h"

namespace {

using namespace kerntune::plugin;

void transpose_on_host(const Call& call) {
  const auto in = call.buffer<const float>("in");
  const auto out = call.buffer<float>("out");
  const auto rows = static_cast<std::size_t>(call.dim("batch"));
  const auto cols = static_cast<std::size_t>(call.dim("n"));
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = 0; col < cols; ++col) out[col * rows + row] = in[row * cols + col];
  }
}

Kernel transpose() {
  return kernel("transpose")
      .revision("1")
      .summary("out[n,batch] = transpose of in[batch,n]")
      .batch("batch", {.min = 1, .max = 65536, .def = 4096})
      .dim("n", {.min = 1, .max = 65536, .def = 4096})
      .param("tile", {16, 32, 64}, 32, "side of the square that a block moves")
      .param("block_y", {4, 8, 16, 32}, 8, "rows of threads per block")
      .param("vec", {1, 2, 4}, 1, "floats per global memory access")
      .param("pad", {0, 1}, 0, "floats after each row of the tile in shared memory")
      .param("order", {"rows", "columns"}, "rows", "which way neighbouring blocks go through the input")
      .constraint("block_y <= tile")
      .constraint("32 <= tile // vec * block_y <= 1024")
      .applicability("n % vec == 0 and batch % vec == 0")
      .in("in", DType::f32, "batch * n")
      .out("out", DType::f32, "batch * n")
      .source({.file = "transpose.cu",
               .text = std::string(embedded::transpose_cu),
               .options = {"--std=c++17"},
               .defines = {{"TILE", "tile"},
                           {"BLOCK_Y", "block_y"},
                           {"VEC", "vec"},
                           {"PAD", "pad"},
                           {"COLUMN_ORDER", "1 if order == 'columns' else 0"}}})
      .launch("transpose",
              {.grid = {"ceil_div(batch, tile) * ceil_div(n, tile)"},
               .block = {"tile // vec", "block_y"},
               .args = {buffer("in"), buffer("out"), scalar(DType::i32, "batch"), scalar(DType::i32, "n")}})
      .reference<transpose_on_host>()
      .work({.flop = 0, .bytes = "8 * batch * n"});
}

}  // namespace

KERNTUNE_PLUGIN("transpose", "1.0", transpose());
