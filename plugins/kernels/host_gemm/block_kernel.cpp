// SPDX-License-Identifier: Apache-2.0
#include "block_kernel.hpp"

namespace host_gemm {

namespace baseline {
BlockKernel kernel_for(const RegisterTile& tile);
}
namespace avx2 {
BlockKernel kernel_for(const RegisterTile& tile);
}
namespace avx512 {
BlockKernel kernel_for(const RegisterTile& tile);
}

BlockKernel block_kernel(const RegisterTile& tile) {
#ifdef KERNTUNE_HOST_GEMM_X86
  if (tile.simd >= 16 && __builtin_cpu_supports("avx512f")) return avx512::kernel_for(tile);
  if (tile.simd >= 8 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::kernel_for(tile);
#endif
  return baseline::kernel_for(tile);
}

}  // namespace host_gemm
