// SPDX-License-Identifier: Apache-2.0
//
// C[m,n] = A[m,k] * B[k,n], all row major, fp32 on the CUDA cores.
//
// A block of threads owns a BLOCK_M x BLOCK_N tile of C and walks along k in steps of BLOCK_K. Each step copies a slice
// of A (transposed, so that a thread's rows are neighbours) and a slice of B to shared memory; each thread then adds
// BLOCK_K outer products to its THREAD_M x THREAD_N values of C, which stay in registers.
//
// Compiled once per configuration, with these macros:
//   BLOCK_M, BLOCK_N, BLOCK_K, THREAD_M, THREAD_N: tile sizes, elements
//   WARP_TILED: 0, a thread's elements are one rectangle; 1, pieces of 4 x 4 spread over the tile of its warp (4 x 8
//     threads), so that the threads of a warp read shared memory side by side
//   VEC: floats per global load of B and per store of C, and (STAGES < 3) per load of A; divides n and k
//   STAGES: 1, load, then compute; 2, the next slices travel through registers meanwhile; 3, two ahead with cp.async
//   PAD: floats of padding after each row of A in shared memory
//   GROUP_M: rows of tiles that neighbouring blocks share, for reuse in L2
//   ATOMIC_OUT: 1, several blocks share the k range of a tile and add to C, which is zero before
//   KERNTUNE_MIN_BLOCKS_PER_SM

constexpr int kThreadsM = BLOCK_M / THREAD_M;
constexpr int kThreadsN = BLOCK_N / THREAD_N;
constexpr int kThreads = kThreadsM * kThreadsN;
constexpr int kStrideA = BLOCK_M + PAD;

static_assert(THREAD_M % 4 == 0 && THREAD_N % 4 == 0 && PAD % 4 == 0, "shared memory is read as float4");
static_assert(kThreads % 32 == 0, "whole warps");
static_assert(WARP_TILED == 0 || (kThreadsM % 4 == 0 && kThreadsN % 8 == 0), "warp tiles are 4 x 8 threads");
static_assert(BLOCK_M * BLOCK_K % (kThreads * VEC) == 0 && BLOCK_N * BLOCK_K % (kThreads * VEC) == 0,
              "every thread copies the same number of vectors");
#if STAGES >= 3 && defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "STAGES >= 3 needs cp.async: compute capability 8.0"
#endif

#if KERNTUNE_MIN_BLOCKS_PER_SM > 0
#define SGEMM_BOUNDS __launch_bounds__(kThreads, KERNTUNE_MIN_BLOCKS_PER_SM)
#else
#define SGEMM_BOUNDS __launch_bounds__(kThreads)
#endif

template <int N>
struct alignas(4 * N) Vector {
  float at[N];
};

struct Shared {
  alignas(16) float a[STAGES][BLOCK_K][kStrideA];  // transposed
  alignas(16) float b[STAGES][BLOCK_K][BLOCK_N];
};

struct Problem {
  const float* a;
  const float* b;
  int m, n, k;
  int row0, col0;  // of the block's tile
};

// How a slice of ROWS x COLS floats is dealt to the threads, in vectors of N along the row.
template <int ROWS, int COLS, int N>
struct Deal {
  static constexpr int kPerRow = COLS / N;
  static constexpr int kLoads = ROWS * COLS / (N * kThreads);
  static __device__ int row(int load) { return (static_cast<int>(threadIdx.x) + load * kThreads) / kPerRow; }
  static __device__ int col(int load) { return (static_cast<int>(threadIdx.x) + load * kThreads) % kPerRow * N; }
};
using DealA = Deal<BLOCK_M, BLOCK_K, VEC>;
using DealB = Deal<BLOCK_K, BLOCK_N, VEC>;

// Slices on their way from global to shared memory. A vector is inside or outside as a whole: VEC divides n and k.
struct Slices {
  Vector<VEC> a[DealA::kLoads];
  Vector<VEC> b[DealB::kLoads];

  __device__ __forceinline__ void fetch(const Problem& p, int k0) {
    const float* tile_a = p.a + static_cast<long long>(p.row0) * p.k + k0;
#pragma unroll
    for (int i = 0; i < DealA::kLoads; ++i) {
      const int row = DealA::row(i), col = DealA::col(i);
      const bool inside = p.row0 + row < p.m && k0 + col < p.k;
      a[i] = inside ? *reinterpret_cast<const Vector<VEC>*>(tile_a + row * p.k + col) : Vector<VEC>{};
    }
    const float* tile_b = p.b + static_cast<long long>(k0) * p.n + p.col0;
#pragma unroll
    for (int i = 0; i < DealB::kLoads; ++i) {
      const int row = DealB::row(i), col = DealB::col(i);
      const bool inside = k0 + row < p.k && p.col0 + col < p.n;
      b[i] = inside ? *reinterpret_cast<const Vector<VEC>*>(tile_b + row * p.n + col) : Vector<VEC>{};
    }
  }

  __device__ __forceinline__ void stash(Shared& shared, int buffer) const {
#pragma unroll
    for (int i = 0; i < DealA::kLoads; ++i) {
#pragma unroll
      for (int j = 0; j < VEC; ++j) shared.a[buffer][DealA::col(i) + j][DealA::row(i)] = a[i].at[j];
    }
#pragma unroll
    for (int i = 0; i < DealB::kLoads; ++i) {
      *reinterpret_cast<Vector<VEC>*>(&shared.b[buffer][DealB::row(i)][DealB::col(i)]) = b[i];
    }
  }
};

// Which elements of the block's tile a thread computes: pieces of four from `first` on, `step` apart.
struct Place {
  int row, col;
#if WARP_TILED
  static constexpr int kRowStep = 4 * 4, kColStep = 4 * 8;
#else
  static constexpr int kRowStep = 4, kColStep = 4;
#endif

  __device__ __forceinline__ Place() {
    const int thread = static_cast<int>(threadIdx.x);
#if WARP_TILED
    // Lanes 2i and 2i+1 share a column and the lanes of a half-warp cover two rows of eight columns: float4 reads of a
    // half-warp then touch each bank once (B) or are broadcasts (A).
    const int warp = thread / 32, lane = thread % 32;
    const int warps_n = kThreadsN / 8;
    row = warp / warps_n * 4 * THREAD_M + (lane / 16 * 2 + lane % 2) * 4;
    col = warp % warps_n * 8 * THREAD_N + lane / 2 % 8 * 4;
#else
    row = thread / kThreadsN * THREAD_M;
    col = thread % kThreadsN * THREAD_N;
#endif
  }
  static __device__ __forceinline__ constexpr int row_offset(int i) { return i / 4 * kRowStep + i % 4; }
  static __device__ __forceinline__ constexpr int col_offset(int j) { return j / 4 * kColStep + j % 4; }
};

template <int COUNT, int STEP>
__device__ __forceinline__ void read_pieces(const float* shared, float (&out)[COUNT]) {
#pragma unroll
  for (int piece = 0; piece < COUNT / 4; ++piece) {
    const Vector<4> four = *reinterpret_cast<const Vector<4>*>(shared + piece * STEP);
#pragma unroll
    for (int i = 0; i < 4; ++i) out[piece * 4 + i] = four.at[i];
  }
}

using Accumulators = float[THREAD_M][THREAD_N];

__device__ __forceinline__ void multiply(const Shared& shared, int buffer, const Place& place, Accumulators& sum) {
#pragma unroll 8
  for (int k = 0; k < BLOCK_K; ++k) {
    float a[THREAD_M], b[THREAD_N];
    read_pieces<THREAD_M, Place::kRowStep>(&shared.a[buffer][k][place.row], a);
    read_pieces<THREAD_N, Place::kColStep>(&shared.b[buffer][k][place.col], b);
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
      for (int j = 0; j < THREAD_N; ++j) sum[i][j] += a[i] * b[j];
    }
  }
}

#if STAGES >= 3
// Copies N floats without passing through registers; zeros if not `inside`. `global` must be a valid address even then.
template <int N>
__device__ __forceinline__ void copy_async(float* shared, const float* global, bool inside) {
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const int bytes = inside ? 4 * N : 0;
  if constexpr (N == 4) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(global), "r"(bytes) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(global), "n"(4 * N), "r"(bytes)
                 : "memory");
  }
}

// A is copied float by float: that is what transposes it.
__device__ __forceinline__ void fetch_async(const Problem& p, int k0, Shared& shared, int buffer) {
  using Singles = Deal<BLOCK_M, BLOCK_K, 1>;
  const float* tile_a = p.a + static_cast<long long>(p.row0) * p.k + k0;
#pragma unroll
  for (int i = 0; i < Singles::kLoads; ++i) {
    const int row = Singles::row(i), col = Singles::col(i);
    const bool inside = p.row0 + row < p.m && k0 + col < p.k;
    copy_async<1>(&shared.a[buffer][col][row], inside ? tile_a + row * p.k + col : p.a, inside);
  }
  const float* tile_b = p.b + static_cast<long long>(k0) * p.n + p.col0;
#pragma unroll
  for (int i = 0; i < DealB::kLoads; ++i) {
    const int row = DealB::row(i), col = DealB::col(i);
    const bool inside = k0 + row < p.k && p.col0 + col < p.n;
    copy_async<VEC>(&shared.b[buffer][row][col], inside ? tile_b + row * p.n + col : p.b, inside);
  }
}

// One group is committed per step, even an empty one, so that "all but the newest STAGES - 2" always means "this one".
__device__ __forceinline__ void accumulate(const Problem& p, int first, int last, Shared& shared, const Place& place,
                                           Accumulators& sum) {
#pragma unroll
  for (int ahead = 0; ahead < STAGES - 1; ++ahead) {
    if (first + ahead < last) fetch_async(p, (first + ahead) * BLOCK_K, shared, ahead);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  int buffer = 0, free_buffer = STAGES - 1;
  for (int slice = first; slice < last; ++slice) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();  // everyone's copies have arrived, and everyone has left the buffer that is filled next
    if (slice + STAGES - 1 < last) fetch_async(p, (slice + STAGES - 1) * BLOCK_K, shared, free_buffer);
    asm volatile("cp.async.commit_group;" ::: "memory");
    multiply(shared, buffer, place, sum);
    free_buffer = buffer;
    buffer = buffer + 1 == STAGES ? 0 : buffer + 1;
  }
}
#elif STAGES == 2
__device__ __forceinline__ void accumulate(const Problem& p, int first, int last, Shared& shared, const Place& place,
                                           Accumulators& sum) {
  Slices slices;
  slices.fetch(p, first * BLOCK_K);
  slices.stash(shared, 0);
  __syncthreads();
  int buffer = 0;
  for (int slice = first; slice < last; ++slice) {
    const bool more = slice + 1 < last;
    if (more) slices.fetch(p, (slice + 1) * BLOCK_K);
    multiply(shared, buffer, place, sum);
    buffer ^= 1;
    if (more) slices.stash(shared, buffer);  // everyone left this buffer before the last barrier
    __syncthreads();
  }
}
#else
__device__ __forceinline__ void accumulate(const Problem& p, int first, int last, Shared& shared, const Place& place,
                                           Accumulators& sum) {
  Slices slices;
  for (int slice = first; slice < last; ++slice) {
    slices.fetch(p, slice * BLOCK_K);
    slices.stash(shared, 0);
    __syncthreads();
    multiply(shared, 0, place, sum);
    __syncthreads();
  }
}
#endif

// Puts the tile of this block into p. Blocks run roughly in order of blockIdx.x: those of GROUP_M rows of tiles are
// numbered column by column, so that blocks that run together read the same few slices of A and B.
__device__ __forceinline__ void choose_tile(Problem& p) {
  const int tiles_m = (p.m + BLOCK_M - 1) / BLOCK_M, tiles_n = (p.n + BLOCK_N - 1) / BLOCK_N;
  const int block = static_cast<int>(blockIdx.x);
  const int group = block / (GROUP_M * tiles_n), within = block % (GROUP_M * tiles_n);
  const int rows = min(GROUP_M, tiles_m - group * GROUP_M);
  p.row0 = (group * GROUP_M + within % rows) * BLOCK_M;
  p.col0 = within / rows * BLOCK_N;
}

__device__ __forceinline__ void put(float* c, float value) {
#if ATOMIC_OUT
  atomicAdd(c, value);
#else
  *c = value;
#endif
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define SGEMM_VECTOR_OUT (VEC == 4)  // atomicAdd of float4 needs compute capability 9.0
#else
#define SGEMM_VECTOR_OUT (VEC == 4 && !ATOMIC_OUT)
#endif

// Four neighbours of a row, from column `col` on.
__device__ __forceinline__ void put_four(float* c_row, int col, int n, const float* four) {
#if SGEMM_VECTOR_OUT
  if (col >= n) return;  // n is a multiple of VEC: all four are outside, or none
  float4* target = reinterpret_cast<float4*>(c_row + col);
  const float4 value = make_float4(four[0], four[1], four[2], four[3]);
#if ATOMIC_OUT
  atomicAdd(target, value);
#else
  *target = value;
#endif
#else
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (col + i < n) put(c_row + col + i, four[i]);
  }
#endif
}

extern "C" __global__ void SGEMM_BOUNDS sgemm(const float* __restrict__ a, const float* __restrict__ b,
                                              float* __restrict__ c, int m, int n, int k) {
  __shared__ Shared shared;
  Problem p{a, b, m, n, k, 0, 0};
  choose_tile(p);

  const int slices = (k + BLOCK_K - 1) / BLOCK_K;
  const int share = (slices + static_cast<int>(gridDim.y) - 1) / static_cast<int>(gridDim.y);
  const int first = static_cast<int>(blockIdx.y) * share;
  const int last = min(first + share, slices);
  if (first >= last) return;  // more blocks along k than slices

  const Place place;
  Accumulators sum = {};
  accumulate(p, first, last, shared, place, sum);

#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
    const int row = p.row0 + place.row + Place::row_offset(i);
    if (row >= m) continue;
    float* c_row = c + static_cast<long long>(row) * n;
#pragma unroll
    for (int j = 0; j < THREAD_N; j += 4) put_four(c_row, p.col0 + place.col + Place::col_offset(j), n, &sum[i][j]);
  }
}
