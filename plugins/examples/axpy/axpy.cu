// SPDX-License-Identifier: Apache-2.0
// y = a*x + y; each thread handles Items elements, a block apart, so that neighbouring threads touch neighbouring
// memory.
template <int Items>
__global__ void axpy(const float* x, float* y, float a, long long n) {
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x * Items + threadIdx.x;
  for (int item = 0; item < Items; ++item) {
    const long long i = first + item * static_cast<long long>(blockDim.x);
    if (i < n) y[i] = a * x[i] + y[i];
  }
}
