// SPDX-License-Identifier: Apache-2.0
#define KERNTUNE_ISA baseline
#include "block_kernel.inl"
