// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <string>
#include <string_view>

#include <kerntune/core/rejection.hpp>

namespace kerntune::cuda {

/// The functions of libcuda that are used: (member, symbol as cuda.h spells it). cuda.h maps the plain names to
/// versioned symbols (cuMemAlloc to cuMemAlloc_v2), and the loader looks for what it maps to. A driver without a
/// *required* one is refused; without an *optional* one the features that need it are.
// clang-format off
#define KERNTUNE_DRIVER_FUNCTIONS(required, optional) \
  required(init, cuInit) \
  required(driver_version, cuDriverGetVersion) \
  required(error_name, cuGetErrorName) \
  required(error_text, cuGetErrorString) \
  required(device_count, cuDeviceGetCount) \
  required(device_get, cuDeviceGet) \
  required(device_name, cuDeviceGetName) \
  required(device_uuid, cuDeviceGetUuid) \
  required(device_memory, cuDeviceTotalMem) \
  required(device_attribute, cuDeviceGetAttribute) \
  required(primary_retain, cuDevicePrimaryCtxRetain) \
  required(primary_release, cuDevicePrimaryCtxRelease) \
  required(context_set, cuCtxSetCurrent) \
  required(context_synchronize, cuCtxSynchronize) \
  required(memory_info, cuMemGetInfo) \
  required(memory_alloc, cuMemAlloc) \
  required(memory_free, cuMemFree) \
  required(host_alloc, cuMemHostAlloc) \
  required(host_free, cuMemFreeHost) \
  required(host_device_pointer, cuMemHostGetDevicePointer) \
  required(copy_to_device, cuMemcpyHtoDAsync) \
  required(copy_to_host, cuMemcpyDtoHAsync) \
  required(copy_on_device, cuMemcpyDtoDAsync) \
  required(memset_bytes, cuMemsetD8Async) \
  required(module_load, cuModuleLoadData) \
  required(module_unload, cuModuleUnload) \
  required(module_function, cuModuleGetFunction) \
  required(module_global, cuModuleGetGlobal) \
  required(function_attribute, cuFuncGetAttribute) \
  required(function_set_attribute, cuFuncSetAttribute) \
  optional(function_parameter, cuFuncGetParamInfo) \
  required(max_active_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  optional(max_active_clusters, cuOccupancyMaxActiveClusters) \
  required(launch, cuLaunchKernel) \
  optional(launch_ex, cuLaunchKernelEx) \
  required(stream_create, cuStreamCreate) \
  required(stream_destroy, cuStreamDestroy) \
  required(stream_synchronize, cuStreamSynchronize) \
  required(stream_begin_capture, cuStreamBeginCapture) \
  required(stream_end_capture, cuStreamEndCapture) \
  required(graph_instantiate, cuGraphInstantiate) \
  required(graph_launch, cuGraphLaunch) \
  required(graph_destroy, cuGraphDestroy) \
  required(graph_exec_destroy, cuGraphExecDestroy) \
  required(event_create, cuEventCreate) \
  required(event_destroy, cuEventDestroy) \
  required(event_record, cuEventRecord) \
  required(event_elapsed, cuEventElapsedTime) \
  optional(encode_tiled, cuTensorMapEncodeTiled)
// clang-format on

/// A table of driver functions: the real driver's, or a fake's in tests. Members of optional functions may be null.
struct DriverApi {
#define KERNTUNE_MEMBER(member, symbol) decltype(&::symbol) member = nullptr;
  KERNTUNE_DRIVER_FUNCTIONS(KERNTUNE_MEMBER, KERNTUNE_MEMBER)
#undef KERNTUNE_MEMBER
};

/// libcuda.so.1's functions, loaded at the first call; null, with `why_not` set, if there is no usable driver. Calls
/// nothing of it, so no context is made. Threads: any.
const DriverApi* driver_api(std::string* why_not = nullptr);

/// "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered"
std::string describe(const DriverApi& api, CUresult code);

/// True if the context is unusable after this error: every later call fails, and only a new process helps.
bool is_sticky(CUresult code) noexcept;

/// The failure of a configuration that an error stands for: device_lost for what no configuration can have done, fault
/// for other sticky errors, out_of_memory, device_limit for a launch that asks for too much, launch_error for the rest.
Reason reason_of(CUresult code) noexcept;

/// Throws DeviceError("<doing>: <description>") unless `code` is success. For what no configuration is to blame for.
void require(const DriverApi& api, CUresult code, std::string_view doing);

}  // namespace kerntune::cuda
