// SPDX-License-Identifier: Apache-2.0
// A kernel whose duration is chosen by its batch, from microseconds to milliseconds, and does not depend on caches: one
// dependent multiply-add after the other. For comparing timers.
template <int Threads, int Unroll>
__global__ void steady(const float* in, float* out, int n, int steps) {
  const int i = blockIdx.x * Threads + threadIdx.x;
  float x = in[i % n];
#pragma unroll Unroll
  for (int k = 0; k < steps; ++k) x = fmaf(x, 0.999f, 0.001f);
  if (i < n) out[i] = x;
}
