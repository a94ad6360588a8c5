// SPDX-License-Identifier: Apache-2.0
// Softmax of each row of x[batch,cols].
#include <algorithm>
#include <cmath>
#include <string>

#include <kerntune/plugin/plugin.hpp>

#include "row_softmax_embedded.h"

namespace {

using namespace kerntune::plugin;

void softmax_on_host(const Call& call) {
  const auto x = call.buffer<const float>("x");
  const auto out = call.buffer<float>("out");
  const auto cols = static_cast<std::size_t>(call.dim("cols"));
  for (std::size_t first = 0; first < x.size(); first += cols) {
    const auto row = x.subspan(first, cols);
    const double maximum = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (const float value : row) sum += std::exp(value - maximum);
    for (std::size_t i = 0; i < cols; ++i) out[first + i] = static_cast<float>(std::exp(row[i] - maximum) / sum);
  }
}

Source kernel_source() {
  return {.file = "row_softmax.cu",
          .text = std::string(embedded::row_softmax_cu),
          .options = {"--std=c++17"},
          .defines = {{"BLOCK_X", "block_x"},
                      {"ROWS", "rows"},
                      {"VEC", "vec"},
                      {"UNROLL", "unroll"},
                      {"FAST_EXP", "1 if fast_exp else 0"},
                      {"METHOD",
                       "0 if method == 'three_pass' else (1 if method == 'online' else (2 if method == "
                       "'registers' else 3))"},
                      {"ITEMS", "items if method == 'registers' else 1"}}};
}

Kernel row_softmax() {
  return kernel("row_softmax")
      .revision("1")
      .summary("out[batch,cols] = softmax of each row of x")
      .batch("batch", {.min = 1, .max = 1 << 20, .def = 1024})
      .dim("cols", {.min = 1, .max = 1 << 20, .def = 8192})
      .param("block_x", {32, 64, 128, 256, 512, 1024}, 256, Role::block_x, "threads per row; 32: a warp per row")
      .param("rows", {1, 2, 4, 8}, 1, Role::block_y, "rows per block")
      .param("vec", {1, 2, 4}, 1, "floats per memory access")
      .param("method", {"three_pass", "online", "registers", "shared"}, "three_pass",
             "reads of the row: three, two, or one with the row kept in registers or shared memory")
      .param("unroll", {1, 2, 4}, 1, "unrolling of the loops along a row")
      .param("fast_exp", {false, true}, false, "the hardware's approximate exponential")
      .constraint("64 <= block_x * rows <= 1024")
      .constraint("method != 'registers' or unroll == 1")  // those loops are written out anyway
      .derived("items", "ceil_div(cols, block_x * vec)")
      .applicability("cols % vec == 0")
      // half of a thread's registers for the row
      .applicability("method != 'registers' or items * vec <= min(64, 32768 // (block_x * rows))")
      // 2 KiB: the partial maxima and sums
      .applicability("method != 'shared' or rows * cols * 4 + 2048 <= shared_per_block_optin")
      .in("x", DType::f32, "batch * cols", Fill::uniform(-8, 8))
      .out("out", DType::f32, "batch * cols")
      .source(kernel_source())
      .launch("row_softmax",
              {.grid = {"ceil_div(batch, rows)"},
               .shared_bytes = "rows * cols * 4 if method == 'shared' else 0",
               .args = {buffer("x"), buffer("out"), scalar(DType::i32, "batch"), scalar(DType::i32, "cols")}})
      .reference<softmax_on_host>()
      .tolerance("out",
                 {.rel = "2e-5 + 2e-9 * cols",
                  .reason = "inputs are in [-8, 8): __expf errs by 2 + 1.2 * |x| ulp, 3e-6 at x = -16, once per "
                            "element and once per growth of a running maximum (a handful); a thread adds at most "
                            "cols/32 positive terms, which errs by 2^-24 * cols/32 = 1.9e-9 * cols at most"})
      .work({.flop = "5 * batch * cols", .bytes = "8 * batch * cols"});
}

}  // namespace

KERNTUNE_PLUGIN("row_softmax", "1.0", row_softmax());
