// SPDX-License-Identifier: Apache-2.0
// The block kernel, compiled once per instruction set: KERNTUNE_ISA names the namespace, the build gives the file's
// flags. Nothing here may be shared between those builds, or the linker could give baseline code an AVX-512 body: so no
// standard headers, and everything lives in that namespace.
#include "block_kernel.hpp"

namespace host_gemm::KERNTUNE_ISA {
namespace {

template <int Simd>
struct VectorOf {
  typedef float Type __attribute__((vector_size(Simd * sizeof(float)), aligned(4), may_alias));
};

/// Rows x (Unroll * Simd) elements of C from (row, col) on. The sums stay in registers for the whole part of k.
template <int Simd, int Unroll, int Rows>
void register_tile(const Operands& o, const Block& block, long row, long col) {
  using Vector = typename VectorOf<Simd>::Type;
  Vector sum[Rows][Unroll];
  for (int r = 0; r < Rows; ++r) {
    const float* c = o.c + (row + r) * o.n + col;
    for (int u = 0; u < Unroll; ++u) {
      sum[r][u] = block.k_begin == 0 ? Vector{} : *reinterpret_cast<const Vector*>(c + u * Simd);
    }
  }
  for (long k = block.k_begin; k < block.k_end; ++k) {
    const float* b = o.b + k * o.n + col;
    for (int u = 0; u < Unroll; ++u) {
      const Vector factor = *reinterpret_cast<const Vector*>(b + u * Simd);
      for (int r = 0; r < Rows; ++r) sum[r][u] += o.a[(row + r) * o.k + k] * factor;
    }
  }
  for (int r = 0; r < Rows; ++r) {
    float* c = o.c + (row + r) * o.n + col;
    for (int u = 0; u < Unroll; ++u) *reinterpret_cast<Vector*>(c + u * Simd) = sum[r][u];
  }
}

/// One element, for columns that no vector covers.
void single(const Operands& o, const Block& block, long row, long col) {
  float sum = block.k_begin == 0 ? 0.0F : o.c[row * o.n + col];
  for (long k = block.k_begin; k < block.k_end; ++k) sum += o.a[row * o.k + k] * o.b[k * o.n + col];
  o.c[row * o.n + col] = sum;
}

template <int Simd, int Unroll, int Rows>
void block_of_c(const Operands& o, const Block& block) {
  long col = block.col_begin;
  for (; col + Simd * Unroll <= block.col_end; col += Simd * Unroll) {
    long row = block.row_begin;
    for (; row + Rows <= block.row_end; row += Rows) register_tile<Simd, Unroll, Rows>(o, block, row, col);
    for (; row < block.row_end; ++row) register_tile<Simd, Unroll, 1>(o, block, row, col);
  }
  for (; col + Simd <= block.col_end; col += Simd) {
    for (long row = block.row_begin; row < block.row_end; ++row) register_tile<Simd, 1, 1>(o, block, row, col);
  }
  for (; col < block.col_end; ++col) {
    for (long row = block.row_begin; row < block.row_end; ++row) single(o, block, row, col);
  }
}

template <int Simd, int Unroll>
BlockKernel with_rows(int rows) {
  switch (rows) {
    case 1:
      return block_of_c<Simd, Unroll, 1>;
    case 2:
      return block_of_c<Simd, Unroll, 2>;
    case 4:
      return block_of_c<Simd, Unroll, 4>;
    default:
      return nullptr;
  }
}

template <int Simd>
BlockKernel with_unroll(const RegisterTile& tile) {
  switch (tile.unroll) {
    case 1:
      return with_rows<Simd, 1>(tile.rows);
    case 2:
      return with_rows<Simd, 2>(tile.rows);
    case 4:
      return with_rows<Simd, 4>(tile.rows);
    default:
      return nullptr;
  }
}

}  // namespace

BlockKernel kernel_for(const RegisterTile& tile) {
  switch (tile.simd) {
    case 4:
      return with_unroll<4>(tile);
    case 8:
      return with_unroll<8>(tile);
    case 16:
      return with_unroll<16>(tile);
    default:
      return nullptr;
  }
}

}  // namespace host_gemm::KERNTUNE_ISA
