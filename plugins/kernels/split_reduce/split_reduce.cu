// SPDX-License-Identifier: Apache-2.0
// out[row] = sum of x[row,:]. `partial`: `splits` blocks per row each sum a share of it. What they find is either added
// to out atomically (ATOMIC, out is zero before) or left in `partials` for `combine`.
//
// Macros: VEC (floats per load), UNROLL (independent sums per thread), ATOMIC.

template <int N>
struct alignas(4 * N) Vector {
  float at[N];
};

constexpr int kThreads = KERNTUNE_BLOCK_THREADS;
constexpr int kWarps = kThreads / 32;
static_assert(kThreads % 32 == 0 && kWarps <= 32, "whole warps, one value of each in the last warp");

__device__ __forceinline__ float sum_of_warp(float value) {
#pragma unroll
  for (int lane = 16; lane > 0; lane /= 2) value += __shfl_xor_sync(0xffffffffu, value, lane);
  return value;
}

// The sum over the block, in the first thread.
__device__ __forceinline__ float sum_of_block(float value) {
  __shared__ float of_warp[32];
  const int thread = static_cast<int>(threadIdx.x);
  value = sum_of_warp(value);
  if (thread % 32 == 0) of_warp[thread / 32] = value;
  __syncthreads();
  return thread < 32 ? sum_of_warp(thread < kWarps ? of_warp[thread] : 0.0f) : 0.0f;
}

__device__ __forceinline__ float sum_of_range(const Vector<VEC>* from, long long begin, long long end) {
  float sums[UNROLL] = {};
  for (long long first = begin + threadIdx.x; first < end; first += kThreads * UNROLL) {
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      if (first + u * kThreads >= end) continue;
      const Vector<VEC> values = from[first + u * kThreads];
#pragma unroll
      for (int i = 0; i < VEC; ++i) sums[u] += values.at[i];
    }
  }
  float sum = 0;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) sum += sums[u];
  return sum;
}

extern "C" __global__ void __launch_bounds__(kThreads) partial(const float* __restrict__ x, float* __restrict__ out,
                                                               float* __restrict__ partials, long long n, int splits) {
  const int row = static_cast<int>(blockIdx.x) / splits, part = static_cast<int>(blockIdx.x) % splits;
  const long long vectors = n / VEC, share = (vectors + splits - 1) / splits;
  const long long begin = min(part * share, vectors), end = min(begin + share, vectors);
  const float sum = sum_of_block(sum_of_range(reinterpret_cast<const Vector<VEC>*>(x + row * n), begin, end));
  if (threadIdx.x != 0) return;
#if ATOMIC
  atomicAdd(out + row, sum);
#else
  partials[blockIdx.x] = sum;
#endif
}

// One warp per row, four rows per block.
extern "C" __global__ void __launch_bounds__(128)
    combine(const float* __restrict__ partials, float* __restrict__ out, int rows, int splits) {
  const int row = static_cast<int>(blockIdx.x) * 4 + static_cast<int>(threadIdx.x) / 32;
  if (row >= rows) return;  // the whole warp
  float sum = 0;
  for (int part = static_cast<int>(threadIdx.x) % 32; part < splits; part += 32) {
    sum += partials[static_cast<long long>(row) * splits + part];
  }
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) out[row] = sum;
}
