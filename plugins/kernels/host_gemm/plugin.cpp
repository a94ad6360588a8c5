// SPDX-License-Identifier: Apache-2.0
// Single-precision matrix product on the processor: C[batch,n] = A[batch,k] * B[k,n], row major.
#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include <kerntune/plugin/plugin.hpp>

#include "block_kernel.hpp"
#include "thread_pool.hpp"

namespace {

using namespace kerntune::plugin;
using host_gemm::Block;

void gemm_on_host(const Call& call) {
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

/// A prepared configuration: blocks of C are dealt to the threads as they come free.
class HostGemm {
 public:
  explicit HostGemm(const Call& call)
      : rows_(call.dim("batch")),
        operands_{.a = call.buffer<const float>("a").data(),
                  .b = call.buffer<const float>("b").data(),
                  .c = call.buffer<float>("c").data(),
                  .n = call.dim("n"),
                  .k = call.dim("k")},
        block_m_(block_size(call, "block_m", rows_)),
        block_n_(block_size(call, "block_n", operands_.n)),
        block_k_(block_size(call, "block_k", operands_.k)),
        kernel_(host_gemm::block_kernel({.simd = call.param<int>("simd"),
                                         .unroll = call.param<int>("unroll"),
                                         .rows = call.param<int>("micro_m")})),
        pool_(call.param<int>("threads"), [this] { take_blocks(); }) {
    if (kernel_ == nullptr) throw Unsupported("no code was built for this combination of simd, unroll and micro_m");
  }

  void launch() {
    next_block_.store(0, std::memory_order_relaxed);
    pool_.run();
  }

 private:
  static long block_size(const Call& call, std::string_view param, long whole) {
    const long size = call.param<long>(param);
    return size == 0 ? whole : std::min(size, whole);
  }

  void take_blocks() noexcept {
    const long across = (operands_.n + block_n_ - 1) / block_n_, down = (rows_ + block_m_ - 1) / block_m_;
    for (;;) {
      const long block = next_block_.fetch_add(1, std::memory_order_relaxed);
      if (block >= across * down) return;
      compute(block / across * block_m_, block % across * block_n_);
    }
  }

  void compute(long row, long col) const noexcept {
    for (long k = 0; k < operands_.k; k += block_k_) {
      kernel_(operands_, {.row_begin = row,
                          .row_end = std::min(row + block_m_, rows_),
                          .col_begin = col,
                          .col_end = std::min(col + block_n_, operands_.n),
                          .k_begin = k,
                          .k_end = std::min(k + block_k_, operands_.k)});
    }
  }

  long rows_;
  host_gemm::Operands operands_;
  long block_m_, block_n_, block_k_;
  host_gemm::BlockKernel kernel_;
  std::atomic<long> next_block_ = 0;
  host_gemm::ThreadPool pool_;  // last: its threads use the rest
};

// The default is the plain loop nest, vectorised as compilers do it: one thread, no blocking, one vector at a time.
Kernel host_gemm_kernel() {
  return kernel("host_gemm")
      .summary("C[batch,n] = A[batch,k] * B[k,n], row major, fp32 on the processor")
      .batch("batch", {.min = 1, .max = 8192, .def = 128})
      .dim("n", {.min = 1, .max = 8192, .def = 512})
      .dim("k", {.min = 1, .max = 8192, .def = 512})
      .param("threads", {1, 2, 4, 8, 16}, 1, "threads, the calling one included")
      .param("block_m", {0, 16, 64}, 0, "rows of C per block of work; 0: all")
      .param("block_n", {0, 64, 128, 256}, 0, "columns of C per block of work; 0: all")
      .param("block_k", {0, 64, 256}, 0, "elements of k between visits to C; 0: all")
      .param("simd", {4, 8, 16}, 4, "floats per vector, and with it the instruction set: baseline, AVX2, AVX-512")
      .param("unroll", {1, 2, 4}, 1, "vectors side by side in registers")
      .param("micro_m", {1, 2, 4}, 1, "rows of C in registers")
      .constraint("threads == 1 or block_m > 0 or block_n > 0")  // else there is one block of work
      .applicability("threads <= cpu_cores")
      .in("a", DType::f32, "batch * k")
      .in("b", DType::f32, "k * n")
      .out("c", DType::f32, "batch * n")
      .callable<HostGemm>({.runs = Runs::host, .revision = "1"})
      .reference<gemm_on_host>()
      .tolerance("c",
                 {.abs = "2.4e-7 * k",
                  .reason = "inputs are uniform in [-1, 1): a float sum of k products errs by 0.1 * u * k rms (u = "
                            "2^-24) and exceeds 4 * u * k with probability below 1e-19 per element"})
      .work({.flop = "2 * batch * n * k", .bytes = "4 * (batch * k + k * n + batch * n)"});
}

}  // namespace

KERNTUNE_PLUGIN("host_gemm", "1.0", host_gemm_kernel());
