// SPDX-License-Identifier: Apache-2.0
// out = in. Each thread moves ITEMS vectors of VEC floats, a block apart, all loads before the first store; blocks go
// on in steps of the whole grid until nothing is left, so any grid is right.
//
// Macros: VEC, ITEMS, STREAMING (1: hint that neither side is used again soon).

template <int N>
struct VectorOf;
template <>
struct VectorOf<1> {
  using Type = float;
};
template <>
struct VectorOf<2> {
  using Type = float2;
};
template <>
struct VectorOf<4> {
  using Type = float4;
};
using Vector = VectorOf<VEC>::Type;

__device__ __forceinline__ Vector load(const Vector* from) {
#if STREAMING
  return __ldcs(from);
#else
  return *from;
#endif
}

__device__ __forceinline__ void store(Vector* to, Vector value) {
#if STREAMING
  __stcs(to, value);
#else
  *to = value;
#endif
}

extern "C" __global__ void __launch_bounds__(KERNTUNE_BLOCK_THREADS)
    copy(const Vector* __restrict__ in, Vector* __restrict__ out, long long vectors) {
  constexpr int kThreads = KERNTUNE_BLOCK_THREADS;
  const long long step = static_cast<long long>(gridDim.x) * (kThreads * ITEMS);
  for (long long first = static_cast<long long>(blockIdx.x) * (kThreads * ITEMS) + threadIdx.x; first < vectors;
       first += step) {
    Vector values[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      if (first + i * kThreads < vectors) values[i] = load(in + first + i * kThreads);
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      if (first + i * kThreads < vectors) store(out + first + i * kThreads, values[i]);
    }
  }
}
