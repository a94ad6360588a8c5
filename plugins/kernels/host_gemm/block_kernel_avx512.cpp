// SPDX-License-Identifier: Apache-2.0
#define KERNTUNE_ISA avx512
#include "block_kernel.inl"
