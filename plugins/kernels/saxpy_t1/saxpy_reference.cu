// SPDX-License-Identifier: Apache-2.0
// y = a * x + y, one element per thread: what saxpy.cu is compared with.
extern "C" __global__ void saxpy_reference(float* y, const float* x, float a, int n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __fadd_rn(__fmul_rn(a, x[i]), y[i]);
}
