// SPDX-License-Identifier: Apache-2.0
/* "quotes", back\slashes, ü and ??/ trigraphs survive being embedded. */
__device__ inline long long element(int item) {
  return (static_cast<long long>(blockIdx.x) * ITEMS + item) * blockDim.x + threadIdx.x;
}
