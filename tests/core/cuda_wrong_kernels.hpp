// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "cuda_test_kernels.hpp"

// `add` in every way of being wrong that verification must catch, as CUDA source. Tuned at kWrongBatch elements.
namespace kerntune::testkernels {

inline constexpr std::int64_t kWrongBatch = 1024;

inline constexpr const char* kWrongParams =
    R"([{"name": "block", "values": [128], "default": 128, "role": "block_x"},
        {"name": "bug", "values": ["right", "unsteady", "does_nothing", "writes_part", "past_the_end", "one_seed", "caches",
                                   "mutates_input", "one_nan", "one_infinity", "tuned_size", "ragged_edge", "race"],
         "default": "right"}])";

inline constexpr const char* kWrongSteps =
    R"json([{"kind": "launch", "entry": "add<{bug}>", "grid": ["ceil_div(batch, block)"],
  "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i32", "value": "batch"}]}])json";

inline constexpr const char* kWrongText = R"cuda(
enum Bug { right, unsteady, does_nothing, writes_part, past_the_end, one_seed, caches, mutates_input, one_nan,
           one_infinity, tuned_size, ragged_edge, race };
__device__ float kept[4096];
__device__ int is_kept[4096];
__device__ int launches;

__device__ float slowly(float x) {
  for (int i = 0; i < 2000; ++i) x = __fsqrt_rn(x * x + 1e-30f) * (x < 0 ? -1.0f : 1.0f);
  return x;
}

template <int Bug> __global__ void add(float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (Bug == does_nothing) return;
  if (Bug == race) {  // no barrier: the upper half takes what the lower half has not brought yet, and the other way round
    __shared__ float sums[128];
    const int other = threadIdx.x ^ 64, j = blockIdx.x * blockDim.x + other;
    if (i < n) sums[threadIdx.x] = threadIdx.x < 64 ? slowly(a[i] + b[i]) : a[i] + b[i];
    if (j < n) c[j] = *(volatile float*)&sums[other];
    return;
  }
  if (Bug == writes_part && i >= n / 2) return;
  if (Bug == ragged_edge && i >= n / 128 * 128) return;
  if (i >= n) return;
  float sum = a[i] + b[i];
  if (Bug == one_seed && i == 0 && n > 2 && a[2] > 0.5f) sum += 1;  // of the engine's seeds: the last one
  if (Bug == one_nan && i == n - 1) sum = __int_as_float(0x7fffffff);
  if (Bug == one_infinity && i == 0) sum = __int_as_float(0x7f800000);
  if (Bug == tuned_size && n >= 1024 && i == 1) sum = 0;
  if (Bug == unsteady && i == 0 && atomicAdd(&launches, 1) % 2 == 1) sum = __int_as_float(__float_as_int(sum) + 1);
  if (Bug == caches && i < 4096) {
    if (is_kept[i]) sum = kept[i];
    kept[i] = sum;
    is_kept[i] = 1;
  }
  c[i] = sum;
  if (Bug == past_the_end && i == 0) c[n] = 1;
  if (Bug == mutates_input && i == 10 % n) a[i] = 5;
})cuda";

/// Compared with the host's sum.
inline std::string wrong_spec() {
  return add_spec(kWrongParams, kWrongSteps, kWrongText, R"(, "reference": {"host": true})");
}

/// How each of them is rejected: "reason: message" begins with this.
struct WrongKernel {
  const char* bug;
  const char* verdict;
};
/// Names of tests must not hold addresses.
inline void PrintTo(const WrongKernel& wrong, std::ostream* out) { *out << wrong.bug; }
inline constexpr WrongKernel kWrongKernels[] = {
    {"does_nothing", "unwritten_output: left 1024 of 1024 elements of 'c' unwritten"},
    {"writes_part", "unwritten_output: left 512 of 1024 elements of 'c' unwritten, the first is c[512]"},
    {"past_the_end", "out_of_bounds: the kernel wrote after the end of 'c'"},
    {"one_seed", "wrong_result: c[0]: got "},
    {"caches", "wrong_result: c[0]: got "},
    {"mutates_input", "out_of_bounds: the kernel changed its input 'a'"},
    {"one_nan", "wrong_result: c[1023]: got nan"},
    {"one_infinity", "wrong_result: c[0]: got inf"},
    {"tuned_size", "wrong_result: c[1]: got 0"},
    {"ragged_edge", "unwritten_output: at the edge size batch=1: left 1 of 1 elements"},
};

}  // namespace kerntune::testkernels
