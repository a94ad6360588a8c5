/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plugin ABI of kerntune, version 1.
 *
 * A plugin is a shared object that exports exactly one symbol, kerntune_plugin_entry_v1, which returns a table
 * of kernels. A kernel is described by data: a *kernel spec*, a JSON document (docs/kernel-spec.md) that names
 * parameters, constraints, buffers, steps and code. Callbacks exist only for what data cannot say: a reference
 * result computed on the host, and kernels that are not CUDA source text (library calls, host kernels).
 *
 * This header is C11, needs no CUDA header, and is the only header that the host and a plugin share. Authors
 * who write C++ use <kerntune/plugin/plugin.hpp>, which fills these tables for them.
 *
 * Rules of the contract
 *
 *   Versions    The major version is part of the entry symbol's name and of the table; unequal means refusal.
 *               A minor version only appends fields to growable structs. A reader uses a field only if the
 *               field ends within struct_size (see KERNTUNE_HAS_FIELD), whoever wrote the struct.
 *   Growable    structs start with `uint32_t struct_size`, are passed by pointer, and arrays of them are arrays
 *               of pointers. Their size constants end at the last field, so tail padding never passes for one.
 *   Frozen      structs (kerntune_str, kerntune_dim, kerntune_value, kerntune_named_value) never change in v1.
 *   Types       Fixed-width integers, double, pointers. No bool, enum, long, size_t or bit-field crosses.
 *   Reserved    fields are zero and are checked to be zero.
 *   Ownership   Who creates a thing destroys it. Nothing allocated on one side is freed on the other. Strings are
 *               borrowed (data, size), UTF-8, not necessarily zero-terminated; a plugin's tables and strings are
 *               static and live as long as the process. Plugins are never unloaded.
 *   Exceptions  None crosses: every function here is noexcept in C++, so that an escape is a clean terminate.
 *   Errors      A callback returns a status and, unless it is KERNTUNE_OK, explains itself through
 *               host->set_error, which copies the text. Unknown status codes count as KERNTUNE_INTERNAL_ERROR.
 *   Threads     One state (the result of prepare) is used by one thread at a time. entry may be called once only.
 */
#ifndef KERNTUNE_PLUGIN_ABI_H
#define KERNTUNE_PLUGIN_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define KERNTUNE_NOEXCEPT noexcept
extern "C" {
#else
#define KERNTUNE_NOEXCEPT
#endif

#define KERNTUNE_ABI_MAJOR 1u
#define KERNTUNE_ABI_MINOR 0u

/* Puts the one exported symbol on the export list; everything else stays hidden (-fvisibility=hidden). */
#define KERNTUNE_EXPORT __attribute__((visibility("default")))

/* Size of a growable struct up to and including `last_field`, which is the struct's last one in this header's minor
 * version. */
#ifdef __cplusplus
#define KERNTUNE_STRUCT_SIZE(type, last_field) \
  (static_cast<uint32_t>(offsetof(type, last_field) + sizeof(type::last_field)))
#else
#define KERNTUNE_STRUCT_SIZE(type, last_field) ((uint32_t)(offsetof(type, last_field) + sizeof(((type*)0)->last_field)))
#endif

/* True if the struct behind `pointer` was written by a side that knows `field`. */
#define KERNTUNE_HAS_FIELD(pointer, type, field) ((pointer)->struct_size >= KERNTUNE_STRUCT_SIZE(type, field))

/* ---- status ------------------------------------------------------------------------------------------- */

typedef int32_t kerntune_status; /* append-only */
#define KERNTUNE_OK 0
#define KERNTUNE_UNSUPPORTED 1      /* an answer, not a fault: this configuration, size or device cannot run */
#define KERNTUNE_INVALID_ARGUMENT 2 /* the host passed something that the kernel's spec does not allow */
#define KERNTUNE_OUT_OF_MEMORY 3
#define KERNTUNE_DEVICE_ERROR 4 /* a CUDA or library call failed; the message names it */
#define KERNTUNE_INTERNAL_ERROR 5

/* ---- frozen leaf structs ------------------------------------------------------------------------------ */

/* Borrowed UTF-8 text of `size` bytes. data may be null only if size is 0. */
typedef struct kerntune_str {
  const char* data;
  uint64_t size;
} kerntune_str;

/* One named size of the problem, for example {"batch", 64}. */
typedef struct kerntune_dim {
  kerntune_str name;
  int64_t value;
} kerntune_dim;

/* Kinds of a kerntune_value. */
#define KERNTUNE_VALUE_INTEGER 0 /* integer is set */
#define KERNTUNE_VALUE_REAL 1    /* real is set */
#define KERNTUNE_VALUE_BOOLEAN 2 /* integer is 0 or 1 */
#define KERNTUNE_VALUE_STRING 3  /* string is set */

/* One value of a parameter. Members that `kind` does not name are zero. */
typedef struct kerntune_value {
  int32_t kind;
  int32_t reserved;
  int64_t integer;
  double real;
  kerntune_str string;
} kerntune_value;

/* One parameter of a configuration with its value. */
typedef struct kerntune_named_value {
  kerntune_str name;
  kerntune_value value;
} kerntune_named_value;

/* ---- growable structs given by the host ---------------------------------------------------------------- */

/* Element types of buffers; the same names appear in the spec ("f32", ...). Append-only. */
#define KERNTUNE_F32 0
#define KERNTUNE_F64 1
#define KERNTUNE_F16 2
#define KERNTUNE_BF16 3
#define KERNTUNE_I8 4
#define KERNTUNE_U8 5
#define KERNTUNE_I32 6
#define KERNTUNE_U32 7
#define KERNTUNE_I64 8
#define KERNTUNE_U64 9

/* One of the buffers that the spec declares, made, filled and guarded by the host. */
typedef struct kerntune_buffer {
  uint32_t struct_size;
  int32_t dtype;     /* KERNTUNE_F32 ... */
  kerntune_str name; /* as in the spec */
  void* data;        /* device memory for CUDA kernels, host memory for host kernels and for reference */
  uint64_t count;    /* elements, not bytes */
} kerntune_buffer;
#define KERNTUNE_BUFFER_SIZE KERNTUNE_STRUCT_SIZE(kerntune_buffer, count)

/* Where a callable kernel runs. */
#define KERNTUNE_DEVICE_HOST 0
#define KERNTUNE_DEVICE_CUDA 1

/* One configuration at one problem size; valid only during the call that receives it, but for the memory
 * behind the buffers, which stays valid and at the same address until teardown. */
typedef struct kerntune_call {
  uint32_t struct_size;
  int32_t device_kind;    /* KERNTUNE_DEVICE_HOST or KERNTUNE_DEVICE_CUDA */
  int32_t device_ordinal; /* CUDA device number, 0 on the host; the CUDA context is current on the calling thread */
  int32_t reserved;
  const kerntune_dim* dims; /* every dim of the spec, in the spec's order */
  uint64_t dim_count;
  const kerntune_named_value* config; /* every parameter, in the spec's order; none for reference */
  uint64_t config_count;
  const kerntune_buffer* const* buffers; /* every buffer of the spec, in the spec's order */
  uint64_t buffer_count;
} kerntune_call;
#define KERNTUNE_CALL_SIZE KERNTUNE_STRUCT_SIZE(kerntune_call, buffer_count)

/* Sink for the error text of one call; opaque to the plugin, passed back through host->set_error. */
typedef struct kerntune_error kerntune_error;

#define KERNTUNE_LOG_DEBUG 0
#define KERNTUNE_LOG_INFO 1
#define KERNTUNE_LOG_WARNING 2

/* Services of the host; lives as long as the process. */
typedef struct kerntune_host {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t reserved;
  /* Copies the text. May be called from any thread during the call that received `error`; the last text stays. */
  void (*set_error)(kerntune_error* error, kerntune_str text) KERNTUNE_NOEXCEPT;
  /* Writes one line to the run's log. Any thread. */
  void (*log)(int32_t level, kerntune_str text) KERNTUNE_NOEXCEPT;
} kerntune_host;
#define KERNTUNE_HOST_SIZE KERNTUNE_STRUCT_SIZE(kerntune_host, log)

/* ---- growable structs given by the plugin -------------------------------------------------------------- */

/* One kernel. Static storage in the plugin. */
typedef struct kerntune_kernel {
  uint32_t struct_size;
  uint32_t reserved;

  /* The kernel spec: one JSON object as docs/kernel-spec.md describes. It names the kernel. */
  kerntune_str spec;

  /* --- callable kernels: "code": {"kind": "callable"} in the spec; all three null for source kernels --- */

  /* Makes `call`'s configuration ready to launch and stores whatever launch needs in *state. May allocate,
   * compile and synchronise. KERNTUNE_UNSUPPORTED rejects the configuration, with a reason. */
  kerntune_status (*prepare)(const kerntune_host* host, const kerntune_call* call, void** state,
                             kerntune_error* error) KERNTUNE_NOEXCEPT;

  /* Runs the kernel once. On CUDA it only enqueues on `stream` (a CUstream / cudaStream_t): no allocation, no
   * synchronisation, no other stream. On the host it returns when the work is done and `stream` is null. The
   * host may launch any number of times; each launch reads the inputs and writes the outputs afresh. */
  kerntune_status (*launch)(void* state, void* stream, kerntune_error* error) KERNTUNE_NOEXCEPT;

  /* Frees what prepare made. Called once for each successful prepare, with no launch in flight. */
  void (*teardown)(void* state) KERNTUNE_NOEXCEPT;

  /* --- reference: present exactly if the spec says "reference": {"host": true} --- */

  /* Computes the expected outputs on the host. All buffers are in host memory: inputs hold the same values as
   * the kernel's inputs, inout buffers their values from before the launch, outputs are zero. Writes outputs and
   * inout buffers. Pure: same inputs, same outputs. */
  kerntune_status (*reference)(const kerntune_host* host, const kerntune_call* call,
                               kerntune_error* error) KERNTUNE_NOEXCEPT;
} kerntune_kernel;
#define KERNTUNE_KERNEL_SIZE KERNTUNE_STRUCT_SIZE(kerntune_kernel, reference)

/* The table that the entry returns. Static storage in the plugin's own image (checked with dladdr). */
typedef struct kerntune_plugin {
  uint32_t struct_size;
  uint32_t abi_major; /* KERNTUNE_ABI_MAJOR that the plugin was built against */
  uint32_t abi_minor;
  uint32_t kernel_count;
  kerntune_str name;    /* for messages, for example "gemm" */
  kerntune_str version; /* the author's, for messages and provenance */
  const kerntune_kernel* const* kernels;
} kerntune_plugin;
#define KERNTUNE_PLUGIN_SIZE KERNTUNE_STRUCT_SIZE(kerntune_plugin, kernels)

/* The one exported symbol of a plugin. */
#define KERNTUNE_ENTRY_SYMBOL "kerntune_plugin_entry_v1"
KERNTUNE_EXPORT const kerntune_plugin* kerntune_plugin_entry_v1(void) KERNTUNE_NOEXCEPT;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KERNTUNE_PLUGIN_ABI_H */
