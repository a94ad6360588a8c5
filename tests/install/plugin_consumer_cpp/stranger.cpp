// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <kerntune/plugin/plugin.hpp>

#include "stranger_embedded.h"

namespace {

using namespace kerntune::plugin;

void negate_reference(const Call& call) {
  for (float& y : call.buffer<float>("y")) y = -y;
}

Kernel negate() {
  return kernel("stranger_negate")
      .batch("batch", {.min = 1, .max = 65536, .def = 1024})
      .param("block_x", {64, 128, 256}, 128, Role::block_x)
      .param("items", {1, 2, 4}, 1)
      .inout("y", DType::f32, "batch")
      .source({.file = "stranger.cu",
               .text = std::string(embedded::stranger_cu),
               .headers = {{"tile.cuh", std::string(embedded::tile_cuh)}},
               .defines = {{"ITEMS", "items"}}})
      .launch("negate",
              {.grid = {"ceil_div(batch, block_x * items)"}, .args = {buffer("y"), scalar(DType::i64, "batch")}})
      .reference<negate_reference>();
}

}  // namespace

KERNTUNE_PLUGIN("stranger", "0.1", negate());
