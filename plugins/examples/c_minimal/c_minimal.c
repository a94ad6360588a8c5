/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin in plain C: one host kernel that scales an array, with a tunable block length. It shows everything that the
 * ABI asks of an author who does without the C++ kit: the spec (embedded from c_minimal.json), four callbacks, two
 * static tables. */
#include <kerntune/plugin/abi.h>

#include <stdlib.h>
#include <string.h>

#include "c_minimal_embedded.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

struct scale_state {
  const kerntune_host* host;
  const float* x;
  float* y;
  uint64_t count;
  uint64_t block;
};

static kerntune_status fail(const kerntune_host* host, kerntune_error* error, kerntune_status status,
                            const char* text) {
  const kerntune_str message = {text, strlen(text)};
  host->set_error(error, message);
  return status;
}

/* Dims, parameters and buffers come in the spec's order: batch; block; x, y. */
static kerntune_status scale_prepare(const kerntune_host* host, const kerntune_call* call, void** state,
                                     kerntune_error* error) {
  struct scale_state* prepared;
  if (call->config_count != 1 || call->buffer_count != 2) {
    return fail(host, error, KERNTUNE_INVALID_ARGUMENT, "expected one parameter and two buffers");
  }
  prepared = malloc(sizeof *prepared);
  if (prepared == NULL) return fail(host, error, KERNTUNE_OUT_OF_MEMORY, "no memory for the state");
  prepared->host = host;
  prepared->x = call->buffers[0]->data;
  prepared->y = call->buffers[1]->data;
  prepared->count = call->buffers[1]->count;
  prepared->block = (uint64_t)call->config[0].value.integer;
  *state = prepared;
  return KERNTUNE_OK;
}

static kerntune_status scale_launch(void* state, void* stream, kerntune_error* error) {
  const struct scale_state* s = state;
  uint64_t first, i;
  (void)stream;
  (void)error;
  for (first = 0; first < s->count; first += s->block) {
    const uint64_t end = first + s->block < s->count ? first + s->block : s->count;
    for (i = first; i < end; ++i) s->y[i] = 2.0F * s->x[i];
  }
  return KERNTUNE_OK;
}

static void scale_teardown(void* state) { free(state); }

static kerntune_status scale_reference(const kerntune_host* host, const kerntune_call* call, kerntune_error* error) {
  const float* x = call->buffers[0]->data;
  float* y = call->buffers[1]->data;
  uint64_t i;
  (void)host;
  (void)error;
  for (i = 0; i < call->buffers[1]->count; ++i) y[i] = 2.0F * x[i];
  return KERNTUNE_OK;
}

static const kerntune_kernel scale = {
    .struct_size = KERNTUNE_KERNEL_SIZE,
    .spec = {kerntune_embedded_c_minimal_json, sizeof kerntune_embedded_c_minimal_json - 1},
    .prepare = scale_prepare,
    .launch = scale_launch,
    .teardown = scale_teardown,
    .reference = scale_reference,
};
static const kerntune_kernel* const kernels[] = {&scale};
static const kerntune_plugin plugin = {
    .struct_size = KERNTUNE_PLUGIN_SIZE,
    .abi_major = KERNTUNE_ABI_MAJOR,
    .abi_minor = KERNTUNE_ABI_MINOR,
    .kernel_count = 1,
    .name = TEXT("c_minimal"),
    .version = TEXT("1.0"),
    .kernels = kernels,
};

const kerntune_plugin* kerntune_plugin_entry_v1(void) { return &plugin; }
