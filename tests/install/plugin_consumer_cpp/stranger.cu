// SPDX-License-Identifier: Apache-2.0
#include "tile.cuh"

__global__ void negate(float* y, long long n) {
  for (int item = 0; item < ITEMS; ++item) {
    const long long i = element(item);
    if (i < n) y[i] = -y[i];
  }
}
