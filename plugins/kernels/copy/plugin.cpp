// SPDX-License-Identifier: Apache-2.0
// A copy: what it reaches is the memory bandwidth of the device.
#include <algorithm>
#include <string>

#include <kerntune/plugin/plugin.hpp>

#include "copy_embedded.h"

namespace {

using namespace kerntune::plugin;

void copy_on_host(const Call& call) {
  const auto in = call.buffer<const float>("in");
  std::copy(in.begin(), in.end(), call.buffer<float>("out").begin());
}

const std::string kCover = "ceil_div(total, block_x * vec * items)";

Kernel copy() {
  return kernel("copy")
      .revision("1")
      .summary("out = in, batch * n floats")
      .batch("batch", {.min = 1, .max = 65536, .def = 64})
      .dim("n", {.min = 1, .max = 1 << 30, .def = 1 << 20})
      .param("block_x", {64, 128, 256, 512, 1024}, 256, Role::block_x, "threads per block")
      .param("vec", {1, 2, 4}, 1, "floats per memory access")
      .param("items", {1, 2, 4, 8}, 1, "vectors per thread, loaded before the first is stored")
      .param("streaming", {false, true}, false, "mark loads and stores as used once (evict first)")
      .param("schedule", {"cover", "resident"}, "cover",
             "blocks for everything, or as many as fit at once, each looping")
      .derived("total", "batch * n")
      .applicability("total % vec == 0")
      .in("in", DType::f32, "total")
      .out("out", DType::f32, "total")
      .source({.file = "copy.cu",
               .text = std::string(embedded::copy_cu),
               .options = {"--std=c++17"},
               .defines = {{"VEC", "vec"}, {"ITEMS", "items"}, {"STREAMING", "1 if streaming else 0"}}})
      .launch("copy",
              {.grid = {kCover + " if schedule == 'cover' else min(" + kCover + ", sm_count * max(blocks_per_sm, 1))"},
               .args = {buffer("in"), buffer("out"), scalar(DType::i64, "total // vec")}})
      .reference<copy_on_host>()
      .work({.flop = 0, .bytes = "8 * total"});
}

}  // namespace

KERNTUNE_PLUGIN("copy", "1.0", copy());
