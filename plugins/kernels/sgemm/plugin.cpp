// SPDX-License-Identifier: Apache-2.0
// Single-precision matrix product on the CUDA cores: C[batch,n] = A[batch,k] * B[k,n], row major.
#include <string>
#include <vector>

#include <kerntune/plugin/plugin.hpp>

#include "sgemm_embedded.h"

namespace {

using namespace kerntune::plugin;

/// In double: for the small sizes at which the reference kernel is checked.
void sgemm_on_host(const Call& call) {
  const auto a = call.buffer<const float>("a");
  const auto b = call.buffer<const float>("b");
  const auto c = call.buffer<float>("c");
  const auto n = static_cast<std::size_t>(call.dim("n"));
  const auto k = static_cast<std::size_t>(call.dim("k"));
  std::vector<double> row(n);
  for (std::size_t i = 0; i * n < c.size(); ++i) {
    row.assign(n, 0.0);
    for (std::size_t p = 0; p < k; ++p) {
      const double factor = a[i * k + p];
      for (std::size_t j = 0; j < n; ++j) row[j] += factor * b[p * n + j];
    }
    for (std::size_t j = 0; j < n; ++j) c[i * n + j] = static_cast<float>(row[j]);
  }
}

const std::string kThreads = "((block_m // thread_m) * (block_n // thread_n))";
const std::string kSliceFloats = "((block_m + block_n) * block_k)";  // of A and B, per step along k

Source kernel_source() {
  return {.file = "sgemm.cu",
          .text = std::string(embedded::sgemm_cu),
          .options = {"--std=c++17"},
          .defines = {{"BLOCK_M", "block_m"},
                      {"BLOCK_N", "block_n"},
                      {"BLOCK_K", "block_k"},
                      {"THREAD_M", "thread_m"},
                      {"THREAD_N", "thread_n"},
                      {"WARP_TILED", "1 if mapping == 'warp_tiled' else 0"},
                      {"VEC", "vec if n % vec == 0 and k % vec == 0 else 1"},
                      {"STAGES", "stages"},
                      {"PAD", "pad"},
                      {"GROUP_M", "group_m"},
                      {"ATOMIC_OUT", "1 if split_k > 1 else 0"}}};
}

// The default is the kernel that SGEMM tutorials arrive at after shared-memory tiling, "vectorised 2D block tiling":
// 128 x 128 x 8 tiles, 8 x 8 elements per thread, loads of four floats, nothing overlapped. It is what a query answers
// for sizes that nobody tuned, so it must run at every size: vec says how wide accesses are where the sizes allow it.
Kernel& add_params(Kernel& kernel) {
  return kernel.param("block_m", {32, 64, 128}, 128, "rows of C per block of threads")
      .param("block_n", {64, 128, 256}, 128, "columns of C per block of threads")
      .param("block_k", {8, 16}, 8, "elements of k per step through shared memory")
      .param("thread_m", {4, 8, 16}, 8, "rows of C per thread, in registers")
      .param("thread_n", {4, 8}, 8, "columns of C per thread, in registers")
      .param("mapping", {"blocked", "warp_tiled"}, "blocked",
             "which elements a thread owns: one rectangle of the tile, or pieces spread over its warp's part")
      .param("vec", {1, 4}, 4, "floats per global memory access; 1 where n or k is no multiple of it")
      .param("stages", {1, 2, 3}, 1, "1: load then compute; 2: loads overlap through registers; 3: two ahead, cp.async")
      .param("pad", {0, 4}, 0, "floats after each row of A in shared memory")
      .param("min_blocks", {0, 2}, 0, Role::min_blocks_per_sm,
             "blocks per SM that registers are limited for; 0: no limit")
      .param("split_k", {1, 2, 4, 8}, 1, "blocks that share the k range of a tile, adding atomically")
      .param("group_m", {1, 8}, 1, "rows of tiles that neighbouring blocks share, for reuse in L2");
}

Kernel& add_constraints(Kernel& kernel) {
  const std::string registers = "thread_m * thread_n + thread_m + thread_n + 32 + (" + kSliceFloats + " // " +
                                kThreads + " if stages < 3 else 0)";
  return kernel.constraint("64 <= " + kThreads + " <= 512")
      .constraint("thread_m * thread_n <= 128 and thread_m <= 2 * thread_n and thread_n <= 2 * thread_m")
      .constraint("mapping != 'warp_tiled' or (block_m // thread_m % 4 == 0 and block_n // thread_n % 8 == 0)")
      // every thread copies whole vectors, and the same number of them
      .constraint("block_m * block_k % (" + kThreads + " * vec) == 0")
      .constraint("block_n * block_k % (" + kThreads + " * vec) == 0")
      .constraint("stages * block_k * (block_m + pad + block_n) * 4 <= 49152")
      // code size and compile time: copies and multiply-adds written out
      .constraint("block_m * block_k // (" + kThreads + " * (vec if stages < 3 else 1)) + block_n * block_k // (" +
                  kThreads + " * vec) <= 24")
      // registers: sums, one step's operands, slices in flight, addresses; fewer than the cap or it spills
      .constraint(registers + " <= min(255, 65536 // (" + kThreads + " * max(min_blocks, 1)))")
      // no two values of a parameter that mean the same: a cap that binds nothing, grouping of a single row of tiles
      .constraint("min_blocks == 0 or " + kThreads + " >= 256")
      .constraint("group_m == 1 or block_m >= 64")
      // splitting k is for grids too small to fill the device
      .constraint("split_k == 1 or (block_m <= 64 and group_m == 1)");
}

ReferenceKernel reference() {
  return {.source = {.file = "sgemm_reference.cu",
                     .text = std::string(embedded::sgemm_reference_cu),
                     .options = {"--std=c++17"}},
          .steps = {Step::launch("sgemm_reference",
                                 {.grid = {"ceil_div(n, 32)", "ceil_div(batch, 8)"},
                                  .block = {32, 8},
                                  .args = {buffer("a"), buffer("b"), buffer("c"), scalar(DType::i32, "batch"),
                                           scalar(DType::i32, "n"), scalar(DType::i32, "k")}})}};
}

Kernel sgemm() {
  Kernel k = kernel("sgemm");
  k.revision("1").summary("C[batch,n] = A[batch,k] * B[k,n], row major, fp32 on CUDA cores");
  k.batch("batch", {.min = 1, .max = 65536, .def = 4096});
  k.dim("n", {.min = 1, .max = 65536, .def = 4096}).dim("k", {.min = 1, .max = 65536, .def = 4096});
  add_constraints(add_params(k));
  k.applicability("stages < 3 or compute_capability >= 80");
  k.in("a", DType::f32, "batch * k").in("b", DType::f32, "k * n").out("c", DType::f32, "batch * n");
  k.source(kernel_source());
  k.memset("c", {.when = "split_k > 1"});
  k.launch("sgemm", {.grid = {"ceil_div(batch, block_m) * ceil_div(n, block_n)", "split_k"},
                     .block = {kThreads},
                     .args = {buffer("a"), buffer("b"), buffer("c"), scalar(DType::i32, "batch"),
                              scalar(DType::i32, "n"), scalar(DType::i32, "k")}});
  k.reference<sgemm_on_host>().reference_kernel(reference()).check_dims({{"batch", 33}, {"n", 65}, {"k", 129}});
  k.tolerance("c", {.abs = "2.4e-7 * k",
                    .reason = "inputs are uniform in [-1, 1): a float sum of k products errs by 0.1 * u * k rms "
                              "(u = 2^-24) and exceeds 4 * u * k with probability below 1e-19 per element; one lost or "
                              "doubled product is off by 0.25 on average"});
  k.work({.flop = "2 * batch * n * k", .bytes = "4 * (batch * k + k * n + batch * n)"});
  return k;
}

}  // namespace

KERNTUNE_PLUGIN("sgemm", "1.0", sgemm());
