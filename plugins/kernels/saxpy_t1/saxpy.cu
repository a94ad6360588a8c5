// SPDX-License-Identifier: Apache-2.0
//
// y = a * x + y over n elements, given as a T1 file: saxpy.json names this file, and every parameter arrives as a
// macro.
//   block_size_x      threads per block
//   items_per_thread  vectors per thread, a block's width apart so that each access of a warp is contiguous
//   vector_width      floats per access: 1, 2 or 4
// Elements behind the last whole vector are done one by one by the first threads of the grid.

template <int width>
struct Vector;
template <>
struct Vector<1> {
  using Type = float;
};
template <>
struct Vector<2> {
  using Type = float2;
};
template <>
struct Vector<4> {
  using Type = float4;
};

__device__ inline float axpy(float a, float x, float y) { return a * x + y; }
__device__ inline float2 axpy(float a, float2 x, float2 y) { return {axpy(a, x.x, y.x), axpy(a, x.y, y.y)}; }
__device__ inline float4 axpy(float a, float4 x, float4 y) {
  return {axpy(a, x.x, y.x), axpy(a, x.y, y.y), axpy(a, x.z, y.z), axpy(a, x.w, y.w)};
}

extern "C" __global__ void __launch_bounds__(block_size_x) saxpy(float* y, const float* x, float a, int n) {
  using V = Vector<vector_width>::Type;
  const int vectors = n / vector_width;
  V* const y_vectors = reinterpret_cast<V*>(y);
  const V* const x_vectors = reinterpret_cast<const V*>(x);
  // 64-bit, because the last block's threads may count past the end of an almost full 32-bit range.
  const long long first = static_cast<long long>(blockIdx.x) * block_size_x * items_per_thread + threadIdx.x;
#pragma unroll
  for (int item = 0; item < items_per_thread; ++item) {
    const long long i = first + item * block_size_x;
    if (i < vectors) y_vectors[i] = axpy(a, x_vectors[i], y_vectors[i]);
  }
  const long long rest = static_cast<long long>(vectors) * vector_width + blockIdx.x * block_size_x + threadIdx.x;
  if (rest < n) y[rest] = axpy(a, x[rest], y[rest]);
}
