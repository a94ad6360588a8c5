/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of ABI 1 as C11 sees it, frozen: a change here is a new major version, or a field appended. */
#include <kerntune/plugin/abi.h>

#include <assert.h>

#define OFFSET(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "." #field " moved")
#define SIZE(type, size) static_assert(sizeof(type) == (size), #type " changed its size")

#include "abi_layout.inc"

/* What the C++ side compares with its own view. */
const uint32_t abi_layout_sizes_in_c[] = {KERNTUNE_BUFFER_SIZE, KERNTUNE_CALL_SIZE, KERNTUNE_HOST_SIZE,
                                          KERNTUNE_KERNEL_SIZE, KERNTUNE_PLUGIN_SIZE};
int abi_has_reference_in_c(const kerntune_kernel* kernel) {
  return KERNTUNE_HAS_FIELD(kernel, kerntune_kernel, reference);
}
