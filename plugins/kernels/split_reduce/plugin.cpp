// SPDX-License-Identifier: Apache-2.0
// Row sums in one or two steps: a pipeline with a workspace whose size a parameter decides.
#include <string>

#include <kerntune/plugin/plugin.hpp>

#include "split_reduce_embedded.h"

namespace {

using namespace kerntune::plugin;

void sums_on_host(const Call& call) {
  const auto x = call.buffer<const float>("x");
  const auto out = call.buffer<float>("out");
  const auto n = static_cast<std::size_t>(call.dim("n"));
  for (std::size_t row = 0; row < out.size(); ++row) {
    double sum = 0;
    for (const float value : x.subspan(row * n, n)) sum += value;
    out[row] = static_cast<float>(sum);
  }
}

Kernel split_reduce() {
  return kernel("split_reduce")
      .revision("1")
      .summary("out[batch] = row sums of x[batch,n]")
      .batch("batch", {.min = 1, .max = 65536, .def = 64})
      .dim("n", {.min = 1, .max = 1 << 26, .def = 1 << 18})
      .param("block_x", {64, 128, 256, 512, 1024}, 256, Role::block_x, "threads per block")
      .param("splits", {1, 2, 4, 8, 16, 32, 64}, 1, "blocks that share a row")
      .param("vec", {1, 2, 4}, 1, "floats per load")
      .param("unroll", {1, 2, 4}, 1, "independent sums per thread")
      .param("finish", {"workspace", "atomic"}, "workspace",
             "how the blocks of a row meet: a second kernel, or atomic adds")
      .applicability("n % vec == 0")
      .in("x", DType::f32, "batch * n")
      .out("out", DType::f32, "batch")
      .workspace("partials", DType::f32, "batch * splits if finish == 'workspace' else 1")
      .source({.file = "split_reduce.cu",
               .text = std::string(embedded::split_reduce_cu),
               .options = {"--std=c++17"},
               .defines = {{"VEC", "vec"}, {"UNROLL", "unroll"}, {"ATOMIC", "1 if finish == 'atomic' else 0"}}})
      .memset("out", {.when = "finish == 'atomic'"})
      .launch("partial", {.grid = {"batch * splits"},
                          .args = {buffer("x"), buffer("out"), buffer("partials"), scalar(DType::i64, "n"),
                                   scalar(DType::i32, "splits")}})
      .launch("combine",
              {.grid = {"ceil_div(batch, 4)"},
               .block = {128},
               .when = "finish == 'workspace'",
               .args = {buffer("partials"), buffer("out"), scalar(DType::i32, "batch"), scalar(DType::i32, "splits")}})
      .reference<sums_on_host>()
      .tolerance("out",
                 {.abs = "6e-8 * (n / 4 + 8 * n ** 0.5 + 8)",
                  .reason = "inputs are uniform in [-1, 1), u = 2^-24: 64 threads or more sum n/64 floats each, "
                            "which errs by 0.17 * u * n/64 rms a thread and 0.02 * u * n in all, of which this "
                            "allows twelve times; the tree above rounds sums of about sqrt(n/3) a few times; one "
                            "lost element is off by 0.5 on average"})
      .work({.flop = "batch * n", .bytes = "4 * batch * n"});
}

}  // namespace

KERNTUNE_PLUGIN("split_reduce", "1.0", split_reduce());
