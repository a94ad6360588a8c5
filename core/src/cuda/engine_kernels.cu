// SPDX-License-Identifier: Apache-2.0
// The engine's own kernels: filling, checking and comparing buffers, and holding the stream while work is queued.
// Compiled by NVRTC for the device at hand; tests compile the same text for the host and run it thread by thread, so
// kernels use no shared memory and no barrier.
//
// Loops run over the grid; counts are 64-bit. Results that start as "nothing found" are made so by the caller.
#ifndef KERNTUNE_HOST_EMULATION
#include "measure/fill_params.hpp"

namespace kerntune::fill {
__device__ inline u64 bits_of(double value) { return static_cast<u64>(__double_as_longlong(value)); }
__device__ inline u64 bits_of(float value) { return __float_as_uint(value); }
__device__ inline double double_of(u64 bits) { return __longlong_as_double(static_cast<long long>(bits)); }
__device__ inline double multiply(double a, double b) { return __dmul_rn(a, b); }
__device__ inline double add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
}  // namespace kerntune::fill
#define KERNTUNE_FN __device__ inline
#include "measure/compare_element.cuh"

__device__ inline unsigned long long clock_cycles() { return static_cast<unsigned long long>(clock64()); }

__device__ inline unsigned multiprocessor() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

__device__ inline unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
#endif
#include "cuda/engine_results.hpp"

using kerntune::cuda::CheckResult;
using kerntune::cuda::CompareResult;
using kerntune::fill::u64;

__device__ inline u64 first_index() { return blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x; }
__device__ inline u64 index_step() { return gridDim.x * static_cast<u64>(blockDim.x); }

__device__ inline u64 load(const void* data, u64 index, u64 bytes) {
  if (bytes == 1) return static_cast<const unsigned char*>(data)[index];
  if (bytes == 2) return static_cast<const unsigned short*>(data)[index];
  if (bytes == 4) return static_cast<const unsigned int*>(data)[index];
  return static_cast<const u64*>(data)[index];
}

__device__ inline void store(void* data, u64 index, u64 bytes, u64 value) {
  if (bytes == 1) static_cast<unsigned char*>(data)[index] = static_cast<unsigned char>(value);
  if (bytes == 2) static_cast<unsigned short*>(data)[index] = static_cast<unsigned short>(value);
  if (bytes == 4) static_cast<unsigned int*>(data)[index] = static_cast<unsigned int>(value);
  if (bytes == 8) static_cast<u64*>(data)[index] = value;
}

__device__ inline u64 low_bytes(u64 value, u64 bytes) {
  return bytes == 8 ? value : value & ((1ull << (8 * bytes)) - 1);
}

__device__ inline void note(CheckResult* result, u64 found, u64 first) {
  if (found == 0) return;
  atomicAdd(&result->count, found);
  atomicMin(&result->first, first);
}

extern "C" __global__ void kerntune_fill(void* data, u64 count, u64 bytes, kerntune::fill::Params params) {
  for (u64 i = first_index(); i < count; i += index_step())
    store(data, i, bytes, kerntune::fill::element_bits(params, i));
}

// Counts elements that are not what kerntune_fill wrote.
extern "C" __global__ void kerntune_check_fill(const void* data, u64 count, u64 bytes, kerntune::fill::Params params,
                                               CheckResult* result) {
  u64 found = 0, first = ~0ull;
  for (u64 i = first_index(); i < count; i += index_step()) {
    if (load(data, i, bytes) == low_bytes(kerntune::fill::element_bits(params, i), bytes)) continue;
    if (found++ == 0) first = i;
  }
  note(result, found, first);
}

extern "C" __global__ void kerntune_count_equal(const void* data, u64 count, u64 bytes, u64 bits, CheckResult* result) {
  u64 found = 0, first = ~0ull;
  for (u64 i = first_index(); i < count; i += index_step()) {
    if (load(data, i, bytes) != bits) continue;
    if (found++ == 0) first = i;
  }
  note(result, found, first);
}

// A pattern that neither a constant nor a shifted copy of it can pass for.
__device__ inline unsigned char guard_byte(u64 key, u64 index) {
  return static_cast<unsigned char>(kerntune::fill::random_bits(key, index, 0) >> 56);
}

extern "C" __global__ void kerntune_fill_guard(unsigned char* zone, u64 bytes, u64 key) {
  for (u64 i = first_index(); i < bytes; i += index_step()) zone[i] = guard_byte(key, i);
}

extern "C" __global__ void kerntune_check_guard(const unsigned char* zone, u64 bytes, u64 key, CheckResult* result) {
  u64 found = 0, first = ~0ull, last = 0;
  for (u64 i = first_index(); i < bytes; i += index_step()) {
    if (zone[i] == guard_byte(key, i)) continue;
    if (found++ == 0) first = i;
    last = i + 1;
  }
  note(result, found, first);
  if (found != 0) atomicMax(&result->end, last);
}

// Bits of a non-negative double order like the double; NaN above all.
__device__ inline void raise(u64* bits, double value) {
  const u64 mine = kerntune::fill::bits_of(value);
  if (mine > *static_cast<volatile u64*>(bits)) atomicMax(bits, mine);
}

// Element by element, as compare_element.cuh says. An element that still holds the poison although something else was
// expected counts as unwritten.
extern "C" __global__ void kerntune_compare(const void* got, const void* expected, u64 count,
                                            kerntune::compare::Params params, CompareResult* result) {
  kerntune::compare::Tally tally;
  for (u64 i = first_index(); i < count; i += index_step())
    kerntune::compare::take(tally, params, i, load(got, i, params.bytes), load(expected, i, params.bytes));
  note(&result->wrong, tally.wrong, tally.first_wrong);
  note(&result->unwritten, tally.unwritten, tally.first_unwritten);
  raise(&result->max_abs_bits, tally.max_abs);
  raise(&result->max_rel_bits, tally.max_rel);
  if (tally.worst > *static_cast<volatile u64*>(&result->worst)) atomicMax(&result->worst, tally.worst);
  kerntune::cuda::CompareSums& sums = result->sums[blockIdx.x % CompareResult::kSlots];
  if (tally.error_squares != 0) atomicAdd(&sums.error_squares, tally.error_squares);
  if (tally.expected_squares != 0) atomicAdd(&sums.expected_squares, tally.expected_squares);
  if (tally.got_squares != 0) atomicAdd(&sums.got_squares, tally.got_squares);
  if (tally.products != 0) atomicAdd(&sums.products, tally.products);
}

// A sum that any change of a bit changes: order does not matter, position does.
extern "C" __global__ void kerntune_digest(const void* data, u64 count, u64 bytes, u64* digest) {
  u64 sum = 0;
  for (u64 i = first_index(); i < count; i += index_step())
    sum += kerntune::fill::random_bits(load(data, i, bytes), i, 1);
  atomicAdd(digest, sum);
}

// Holds the stream until the host sets *flag, so that what is queued behind it runs without gaps. Gives up after
// timeout_ns and says so: a kernel whose launch waits for the stream would otherwise hang for ever.
extern "C" __global__ void kerntune_block(const volatile unsigned int* flag, volatile unsigned int* gave_up,
                                          u64 timeout_ns) {
  const u64 start = nanoseconds();
  while (*flag == 0) {
    if (nanoseconds() - start < timeout_ns) continue;
    *gave_up = 1;
    return;
  }
}

// Keeps parts of the device busy for up to longest_ns, each block for another time: a kernel that runs beside it finds
// its blocks and warps in another order than when it has the device to itself.
extern "C" __global__ void kerntune_disturb(u64 key, u64 longest_ns) {
  const u64 start = nanoseconds();
  const u64 mine = kerntune::fill::random_bits(key, blockIdx.x, 2) % longest_ns;
  while (nanoseconds() - start < mine) {
  }
}

// The clock of one multiprocessor: whichever block runs on the first one writes it.
extern "C" __global__ void kerntune_stamp(volatile u64* cycles) {
  if (threadIdx.x == 0 && multiprocessor() == 0) *cycles = clock_cycles();
}

// Runs for a known number of clock cycles.
extern "C" __global__ void kerntune_spin(u64 cycles) {
  const u64 start = clock_cycles();
  while (clock_cycles() - start < cycles) {
  }
}

// What the timer measures when there is nothing to measure.
extern "C" __global__ void kerntune_empty() {}
