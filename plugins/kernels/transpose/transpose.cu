// SPDX-License-Identifier: Apache-2.0
// out[cols,rows] = transpose of in[rows,cols]. A block moves a TILE x TILE square through shared memory, so that both
// sides are read and written along rows. Threads: TILE / VEC wide, BLOCK_Y high.
//
// Macros: TILE, BLOCK_Y, VEC (floats per global access), PAD (floats after each row of the tile; 1 spreads a column
// over the banks), COLUMN_ORDER (1: neighbouring blocks go down the input, else along it).

template <int N>
struct alignas(4 * N) Vector {
  float at[N];
};

constexpr int kThreadsX = TILE / VEC;

extern "C" __global__ void __launch_bounds__(kThreadsX* BLOCK_Y)
    transpose(const float* __restrict__ in, float* __restrict__ out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + PAD];
  const int tiles_x = (cols + TILE - 1) / TILE, tiles_y = (rows + TILE - 1) / TILE;
  const int block = static_cast<int>(blockIdx.x);
  const int col0 = (COLUMN_ORDER ? block / tiles_y : block % tiles_x) * TILE;
  const int row0 = (COLUMN_ORDER ? block % tiles_y : block / tiles_x) * TILE;
  const int across = static_cast<int>(threadIdx.x) * VEC;

  // VEC divides rows and cols: a vector is inside or outside as a whole.
#pragma unroll
  for (int y = static_cast<int>(threadIdx.y); y < TILE; y += BLOCK_Y) {
    if (row0 + y >= rows || col0 + across >= cols) continue;
    const float* from = in + static_cast<long long>(row0 + y) * cols + col0 + across;
    const Vector<VEC> values = *reinterpret_cast<const Vector<VEC>*>(from);
#pragma unroll
    for (int i = 0; i < VEC; ++i) tile[y][across + i] = values.at[i];
  }
  __syncthreads();
#pragma unroll
  for (int y = static_cast<int>(threadIdx.y); y < TILE; y += BLOCK_Y) {
    if (col0 + y >= cols || row0 + across >= rows) continue;
    Vector<VEC> values;
#pragma unroll
    for (int i = 0; i < VEC; ++i) values.at[i] = tile[across + i][y];
    *reinterpret_cast<Vector<VEC>*>(out + static_cast<long long>(col0 + y) * rows + row0 + across) = values;
  }
}
