// SPDX-License-Identifier: Apache-2.0
// C = A * B as plainly as possible: one thread per element, sums in double, rounded once.
extern "C" __global__ void sgemm_reference(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row >= m || col >= n) return;
  const float* a_row = a + static_cast<long long>(row) * k;
  double sum = 0;
  for (int i = 0; i < k; ++i) sum += static_cast<double>(a_row[i]) * b[static_cast<long long>(i) * n + col];
  c[static_cast<long long>(row) * n + col] = static_cast<float>(sum);
}
