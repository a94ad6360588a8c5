// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kerntune/core/kernel_spec.hpp>

namespace kerntune::test {

/// `text` with the first occurrence of `from` replaced; an empty text if it does not occur, which no test can take for
/// a spec.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? std::string() : text.replace(at, from.size(), to);
}

/// A spec that uses every member once.
inline std::string full_spec() {
  return R"json({
  "kerntune_spec": 1, "name": "axpy", "revision": "3", "summary": "y = a*x + y",
  "dims": [
    {"name": "batch", "batch": true, "min": 1, "max": 4096, "default": 64},
    {"name": "n", "max": 1048576, "default": 1024}
  ],
  "params": [
    {"name": "block_x", "values": [64, 128, 256], "default": 128, "role": "block_x"},
    {"name": "items", "values": [1, 2, 4], "default": 1, "summary": "elements per thread"},
    {"name": "type", "values": ["float", "unsigned int"], "default": "float"},
    {"name": "alpha", "values": [0.5, 2.0], "default": 2.0},
    {"name": "padded", "values": [false, true], "default": false},
    {"name": "cap", "values": [0, 64], "default": 0, "role": "register_cap"},
    {"name": "min_blocks", "values": [0, 2], "default": 0, "role": "min_blocks_per_sm"}
  ],
  "constraints": ["block_x * items <= 512"],
  "derived": [{"name": "total", "value": "batch * n"}, {"name": "per_block", "value": "block_x * items"}],
  "applicability": ["total % items == 0"],
  "buffers": [
    {"name": "x", "dtype": "f32", "count": "total", "role": "in", "fill": {"kind": "normal", "a": 0, "b": 2}},
    {"name": "y", "dtype": "f32", "count": "total", "role": "inout"},
    {"name": "sums", "dtype": "f64", "count": "ceil_div(total, per_block)", "alignment": 512, "role": "workspace"}
  ],
  "code": {
    "kind": "source", "file": "axpy.cu", "text": "__launch_bounds__(KERNTUNE_BLOCK_THREADS) ...",
    "headers": [{"name": "tile.cuh", "text": "// tiles"}],
    "options": ["--std=c++17"],
    "defines": [{"name": "ITEMS", "value": "items"}, {"name": "TYPE", "value": "type"},
                {"name": "PADDED", "value": "padded"}, {"name": "ALPHA", "value": "alpha"}]
  },
  "steps": [
    {"kind": "memset", "buffer": "sums", "when": "items > 1", "offset": 1, "count": "2", "byte": 255},
    {"kind": "launch", "entry": "axpy<{items}, {padded}, {type}>", "grid": ["ceil_div(total, per_block)"],
     "shared_bytes": "4 * block_x", "carveout": 50, "cooperative": "items == 4",
     "args": [{"buffer": "x"}, {"buffer": "y", "offset": "items - 1"}, {"scalar": "f32", "value": "alpha"},
              {"scalar": "i64", "value": "total"},
              {"tensor_map": "x", "dims": ["n", "batch"], "strides": ["4 * n"], "box": [64, 1], "swizzle": "128B"}]}
  ],
  "symbols": [{"symbol": "scale", "scalar": "f32", "value": 1.5}, {"symbol": "table", "buffer": "x", "offset": 2}],
  "reference": {
    "host": true,
    "kernel": {"code": {"kind": "source", "text": "__global__ void ref() {}"},
               "steps": [{"kind": "launch", "entry": "ref", "grid": ["ceil_div(total, 256)"], "block": [256],
                          "args": [{"buffer": "x"}, {"buffer": "y"}]}]},
    "check_dims": {"batch": 3, "n": 1000}
  },
  "tolerances": [{"buffer": "y", "abs": "1e-6 * n", "rel": 1e-6, "reason": "one multiply-add"}],
  "work": {"flop": "2 * total", "bytes": "12 * total"}
})json";
}

}  // namespace kerntune::test
