// SPDX-License-Identifier: Apache-2.0
#define KERNTUNE_ISA avx2
#include "block_kernel.inl"
