// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace host_gemm {

/// C[m,n] = A[m,k] * B[k,n], row major and dense. Borrowed pointers.
struct Operands {
  const float* a;
  const float* b;
  float* c;
  long n, k;
};

/// Rows, columns and part of k that one call works on; ends are exclusive.
struct Block {
  long row_begin, row_end;
  long col_begin, col_end;
  long k_begin, k_end;
};

/// Sizes of the piece of C that is held in vector registers.
struct RegisterTile {
  int simd;    // floats per vector: 4, 8, 16
  int unroll;  // vectors per row: 1, 2, 4
  int rows;    // 1, 2, 4
};

/// Adds A * B over the block's part of k to the block of C; with k_begin 0 it overwrites C instead. Blocks that
/// differ in rows or columns may run at the same time.
using BlockKernel = void (*)(const Operands&, const Block&);

/// The kernel built for the widest instruction set that suits `tile.simd` and that this processor has: baseline for 4,
/// AVX2 with FMA for 8, AVX-512 for 16. What the processor lacks is replaced by the next narrower one, with the
/// same results up to rounding. Null for a tile that is not among the sizes above.
BlockKernel block_kernel(const RegisterTile& tile);

}  // namespace host_gemm
