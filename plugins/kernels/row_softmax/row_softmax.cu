// SPDX-License-Identifier: Apache-2.0
// out[row,:] = softmax(x[row,:]), stable: exponentials of differences from the row's maximum. BLOCK_X threads share a
// row (32: a warp per row), a block does ROWS rows side by side.
//
// Macros: BLOCK_X, ROWS, VEC (floats per access), UNROLL, FAST_EXP (1: __expf), ITEMS (METHOD 2: vectors per thread),
// METHOD:
//   0 three_pass: maximum, then sum, then write; the row is read three times
//   1 online: maximum and sum in one pass, rescaling the sum when the maximum grows; two reads
//   2 registers: the row is read once and stays in registers
//   3 shared: the row is read once and stays in dynamic shared memory

template <int N>
struct alignas(4 * N) Vector {
  float at[N];
};

constexpr int kWarps = BLOCK_X / 32;  // per row
static_assert(BLOCK_X % 32 == 0, "a warp belongs to one row");
constexpr float kLowest = -3.402823466e38f;  // finite: a difference of two of them is 0, not NaN

__device__ __forceinline__ float exponential(float x) {
#if FAST_EXP
  return __expf(x);
#else
  return expf(x);
#endif
}

// Maximum of some elements and the sum of their exponentials relative to it.
struct Norm {
  float maximum, sum;
};

__device__ __forceinline__ Norm merge(Norm a, Norm b) {
  Norm both;
  both.maximum = fmaxf(a.maximum, b.maximum);
  both.sum = a.sum * exponential(a.maximum - both.maximum) + b.sum * exponential(b.maximum - both.maximum);
  return both;
}

__device__ __forceinline__ float larger(float a, float b) { return fmaxf(a, b); }
__device__ __forceinline__ float added(float a, float b) { return a + b; }

__device__ __forceinline__ float from_lane(float value, int mask) { return __shfl_xor_sync(0xffffffffu, value, mask); }
__device__ __forceinline__ Norm from_lane(Norm value, int mask) {
  Norm other;
  other.maximum = from_lane(value.maximum, mask);
  other.sum = from_lane(value.sum, mask);
  return other;
}

// Combines a value of every thread of a row; all of them get the result. `scratch` is used for nothing else in the
// kernel, so one barrier is enough. Every thread of the block must call it.
template <class T, class Combine>
__device__ __forceinline__ T over_row(T value, T (&scratch)[ROWS][kWarps], Combine combine) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) value = combine(value, from_lane(value, mask));
  if constexpr (kWarps > 1) {
    if (threadIdx.x % 32 == 0) scratch[threadIdx.y][threadIdx.x / 32] = value;
    __syncthreads();
    value = scratch[threadIdx.y][0];
#pragma unroll
    for (int warp = 1; warp < kWarps; ++warp) value = combine(value, scratch[threadIdx.y][warp]);
  }
  return value;
}

__device__ __forceinline__ float maximum_of(const Vector<VEC>& values) {
  float result = values.at[0];
#pragma unroll
  for (int i = 1; i < VEC; ++i) result = fmaxf(result, values.at[i]);
  return result;
}

// Replaces values by their exponentials and returns their sum.
__device__ __forceinline__ float exponentiate(Vector<VEC>& values, float maximum) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < VEC; ++i) sum += values.at[i] = exponential(values.at[i] - maximum);
  return sum;
}

__device__ __forceinline__ Vector<VEC> scaled(Vector<VEC> values, float factor) {
#pragma unroll
  for (int i = 0; i < VEC; ++i) values.at[i] *= factor;
  return values;
}

// The part of a row that one thread sees: vectors threadIdx.x, threadIdx.x + BLOCK_X, ...
struct Row {
  const Vector<VEC>* in;
  Vector<VEC>* out;
  int vectors;
  bool inside;  // false for a row past the last: computed (on the last row's data) but not written

  template <class Visit>
  __device__ __forceinline__ void each(Visit visit) const {
#pragma unroll UNROLL
    for (int v = static_cast<int>(threadIdx.x); v < vectors; v += BLOCK_X) visit(v);
  }
};

#if METHOD == 0
__device__ __forceinline__ void softmax(const Row& row) {
  __shared__ float maxima[ROWS][kWarps], sums[ROWS][kWarps];
  float maximum = kLowest, sum = 0;
  row.each([&](int v) { maximum = fmaxf(maximum, maximum_of(row.in[v])); });
  maximum = over_row(maximum, maxima, larger);
  row.each([&](int v) {
    Vector<VEC> values = row.in[v];
    sum += exponentiate(values, maximum);
  });
  const float factor = 1.0f / over_row(sum, sums, added);
  if (!row.inside) return;
  row.each([&](int v) {
    Vector<VEC> values = row.in[v];
    exponentiate(values, maximum);
    row.out[v] = scaled(values, factor);
  });
}
#elif METHOD == 1
__device__ __forceinline__ void softmax(const Row& row) {
  __shared__ Norm norms[ROWS][kWarps];
  Norm norm = {kLowest, 0.0f};
  row.each([&](int v) {
    Vector<VEC> values = row.in[v];
    const float maximum = fmaxf(norm.maximum, maximum_of(values));
    norm.sum = norm.sum * exponential(norm.maximum - maximum) + exponentiate(values, maximum);
    norm.maximum = maximum;
  });
  norm = over_row(norm, norms, merge);
  const float factor = 1.0f / norm.sum;
  if (!row.inside) return;
  row.each([&](int v) {
    Vector<VEC> values = row.in[v];
    exponentiate(values, norm.maximum);
    row.out[v] = scaled(values, factor);
  });
}
#elif METHOD == 2
__device__ __forceinline__ void softmax(const Row& row) {
  __shared__ float maxima[ROWS][kWarps], sums[ROWS][kWarps];
  const int thread = static_cast<int>(threadIdx.x);
  Vector<VEC> kept[ITEMS];
  float maximum = kLowest, sum = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (thread + i * BLOCK_X >= row.vectors) continue;
    kept[i] = row.in[thread + i * BLOCK_X];
    maximum = fmaxf(maximum, maximum_of(kept[i]));
  }
  maximum = over_row(maximum, maxima, larger);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (thread + i * BLOCK_X < row.vectors) sum += exponentiate(kept[i], maximum);
  }
  const float factor = 1.0f / over_row(sum, sums, added);
  if (!row.inside) return;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (thread + i * BLOCK_X < row.vectors) row.out[thread + i * BLOCK_X] = scaled(kept[i], factor);
  }
}
#else
// A thread touches only vectors that it wrote itself, so the cached row needs no barrier of its own.
__device__ __forceinline__ void softmax(const Row& row) {
  extern __shared__ __align__(16) float cache[];
  __shared__ float maxima[ROWS][kWarps], sums[ROWS][kWarps];
  Vector<VEC>* const kept = reinterpret_cast<Vector<VEC>*>(cache) + static_cast<int>(threadIdx.y) * row.vectors;
  float maximum = kLowest, sum = 0;
  row.each([&](int v) {
    const Vector<VEC> values = row.in[v];
    kept[v] = values;
    maximum = fmaxf(maximum, maximum_of(values));
  });
  maximum = over_row(maximum, maxima, larger);
  row.each([&](int v) {
    Vector<VEC> values = kept[v];
    sum += exponentiate(values, maximum);
    kept[v] = values;
  });
  const float factor = 1.0f / over_row(sum, sums, added);
  if (!row.inside) return;
  row.each([&](int v) { row.out[v] = scaled(kept[v], factor); });
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK_X* ROWS)
    row_softmax(const float* __restrict__ x, float* __restrict__ out, int rows, int cols) {
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.y;
  const long long offset = min(row, rows - 1LL) * cols;
  softmax({reinterpret_cast<const Vector<VEC>*>(x + offset), reinterpret_cast<Vector<VEC>*>(out + offset), cols / VEC,
           row < rows});
}
