// SPDX-License-Identifier: Apache-2.0
// A callable kernel: row sums on the host, with a tunable number of partial sums that lets the compiler use SIMD.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <kerntune/plugin/plugin.hpp>

namespace {

using namespace kerntune::plugin;

/// Constructed once per configuration, launched any number of times. Allocates here, never in launch.
class RowSum {
 public:
  explicit RowSum(const Call& call)
      : x_(call.buffer<const float>("x")),
        sums_(call.buffer<float>("sums")),
        n_(static_cast<std::size_t>(call.dim("n"))),
        partial_(call.param<std::size_t>("lanes")) {}

  void launch() {
    for (std::size_t row = 0; row < sums_.size(); ++row) sums_[row] = sum(x_.subspan(row * n_, n_));
  }

 private:
  float sum(std::span<const float> row) {
    std::fill(partial_.begin(), partial_.end(), 0.0F);
    for (std::size_t i = 0; i < row.size(); i += partial_.size()) {
      const std::size_t lanes = std::min(partial_.size(), row.size() - i);
      for (std::size_t lane = 0; lane < lanes; ++lane) partial_[lane] += row[i + lane];
    }
    return std::accumulate(partial_.begin(), partial_.end(), 0.0F);
  }

  std::span<const float> x_;
  std::span<float> sums_;
  std::size_t n_;
  std::vector<float> partial_;
};

void row_sum_reference(const Call& call) {
  const auto x = call.buffer<const float>("x");
  const auto sums = call.buffer<float>("sums");
  const auto n = static_cast<std::size_t>(call.dim("n"));
  for (std::size_t row = 0; row < sums.size(); ++row) {
    const auto values = x.subspan(row * n, n);
    sums[row] = static_cast<float>(std::accumulate(values.begin(), values.end(), 0.0));
  }
}

Kernel row_sum() {
  return kernel("example_row_sum")
      .revision("1")
      .summary("sums of the rows of a matrix, on the host")
      .batch("batch", {.min = 1, .max = 4096, .def = 64})
      .dim("n", {.min = 8, .max = 65536, .def = 4096})
      .param("lanes", {1, 4, 8, 16, 32}, 8, "partial sums kept at once")
      .applicability("lanes <= n")
      .in("x", DType::f32, "batch * n", Fill::uniform(0, 1))
      .out("sums", DType::f32, "batch")
      .callable<RowSum>({.runs = Runs::host, .revision = "1"})
      .reference<row_sum_reference>()
      .tolerance("sums", {.abs = 0,
                          .rel = "n * 6e-8",
                          .reason = "each of n additions of non-negative terms rounds once, by at most 2^-24"})
      .work({.flop = "batch * n", .bytes = "4 * batch * (n + 1)"});
}

}  // namespace

KERNTUNE_PLUGIN("host_sum", "1.0", row_sum());
