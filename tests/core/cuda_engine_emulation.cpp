// SPDX-License-Identifier: Apache-2.0
// The engine's kernels compiled for the host: what the fake driver runs when they are launched.
#include "cuda_engine_emulation.hpp"

#include <algorithm>

#include "cuda_element_functions.hpp"

namespace {

struct Index {
  unsigned x = 0, y = 0, z = 0;
};
Index blockIdx, threadIdx, gridDim, blockDim;

unsigned long long clock_cycles() { return kerntune::cuda::emulation::cycles; }
unsigned multiprocessor() { return 0; }

// One thread at a time: nothing needs to be atomic.
void atomicAdd(unsigned long long* target, unsigned long long value) { *target += value; }
void atomicAdd(double* target, double value) { *target += value; }
void atomicMin(unsigned long long* target, unsigned long long value) { *target = std::min(*target, value); }
void atomicMax(unsigned long long* target, unsigned long long value) { *target = std::max(*target, value); }
unsigned long long nanoseconds() { return 0; }

}  // namespace

#define KERNTUNE_HOST_EMULATION
#define __device__
#define __global__
#include "cuda/engine_kernels.cu"

namespace kerntune::cuda::emulation {
namespace {

template <typename... Parameters, std::size_t... Indices>
void call(void (*kernel)(Parameters...), void** arguments, std::index_sequence<Indices...>) {
  kernel(*static_cast<std::remove_cv_t<Parameters>*>(arguments[Indices])...);
}

template <typename... Parameters>
void run_grid(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, void** arguments) {
  gridDim = {blocks, 1, 1};
  blockDim = {threads, 1, 1};
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x)
      call(kernel, arguments, std::index_sequence_for<Parameters...>());
}

}  // namespace

bool run(const std::string& name, unsigned blocks, unsigned threads, void** arguments) {
  if (name == "kerntune_fill") return run_grid(kerntune_fill, blocks, threads, arguments), true;
  if (name == "kerntune_check_fill") return run_grid(kerntune_check_fill, blocks, threads, arguments), true;
  if (name == "kerntune_fill_guard") return run_grid(kerntune_fill_guard, blocks, threads, arguments), true;
  if (name == "kerntune_check_guard") return run_grid(kerntune_check_guard, blocks, threads, arguments), true;
  if (name == "kerntune_compare") return run_grid(kerntune_compare, blocks, threads, arguments), true;
  if (name == "kerntune_digest") return run_grid(kerntune_digest, blocks, threads, arguments), true;
  if (name == "kerntune_count_equal") return run_grid(kerntune_count_equal, blocks, threads, arguments), true;
  if (name == "kerntune_stamp") return run_grid(kerntune_stamp, blocks, threads, arguments), true;
  return name == "kerntune_empty" || name == "kerntune_disturb" || name == "kerntune_spin";
}

}  // namespace kerntune::cuda::emulation
