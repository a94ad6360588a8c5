// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kerntune::cupti {

/// The functions of libcupti that are used: (member, symbol). All are required; CUPTI has them since CUDA 12.6.
// clang-format off
#define KERNTUNE_CUPTI_FUNCTIONS(required) \
  required(get_version, cuptiGetVersion) \
  required(result_text, cuptiGetResultString) \
  required(chip_name, cuptiDeviceGetChipName) \
  required(initialize, cuptiProfilerInitialize) \
  required(device_supported, cuptiProfilerDeviceSupported) \
  required(availability, cuptiProfilerGetCounterAvailability) \
  required(host_initialize, cuptiProfilerHostInitialize) \
  required(host_deinitialize, cuptiProfilerHostDeinitialize) \
  required(host_chips, cuptiProfilerHostGetSupportedChips) \
  required(host_metrics, cuptiProfilerHostGetBaseMetrics) \
  required(host_properties, cuptiProfilerHostGetMetricProperties) \
  required(host_add, cuptiProfilerHostConfigAddMetrics) \
  required(host_image_size, cuptiProfilerHostGetConfigImageSize) \
  required(host_image, cuptiProfilerHostGetConfigImage) \
  required(host_passes, cuptiProfilerHostGetNumOfPasses) \
  required(host_evaluate, cuptiProfilerHostEvaluateToGpuValues) \
  required(range_enable, cuptiRangeProfilerEnable) \
  required(range_disable, cuptiRangeProfilerDisable) \
  required(range_data_size, cuptiRangeProfilerGetCounterDataSize) \
  required(range_data_initialize, cuptiRangeProfilerCounterDataImageInitialize) \
  required(range_configure, cuptiRangeProfilerSetConfig) \
  required(range_start, cuptiRangeProfilerStart) \
  required(range_stop, cuptiRangeProfilerStop) \
  required(range_push, cuptiRangeProfilerPushRange) \
  required(range_pop, cuptiRangeProfilerPopRange) \
  required(range_decode, cuptiRangeProfilerDecodeData) \
  required(range_data_info, cuptiRangeProfilerGetCounterDataInfo)
// clang-format on

/// A table of CUPTI's functions: the real library's, or a fake's in tests.
struct CuptiApi {
#define KERNTUNE_MEMBER(member, symbol) decltype(&::symbol) member = nullptr;
  KERNTUNE_CUPTI_FUNCTIONS(KERNTUNE_MEMBER)
#undef KERNTUNE_MEMBER
  std::string path;     // of the library, resolved; empty for a fake
  std::string version;  // "13.0.1"
};

/// Why there is no table.
struct NoCupti {
  bool is_wrong_version = false;  // a library is there, but not a usable one
  std::string reason;
};

/// The library's functions, loaded at the first call: $KERNTUNE_CUPTI alone if it is set, else libcupti.so.13, .12 and
/// plain, where cuda::library_candidates says. Null, with `why_not` set, if none is usable. Loading it
/// changes nothing about kernels or their times. Threads: any.
const CuptiApi* cupti_api(NoCupti* why_not = nullptr);

/// A call of CUPTI failed.
class CuptiError : public std::runtime_error {
 public:
  CuptiError(const CuptiApi& api, CUptiResult code, std::string_view doing);
  CUptiResult code() const noexcept { return code_; }

 private:
  CUptiResult code_;
};

/// Throws CuptiError("<doing>: CUPTI_ERROR_...") unless `code` is success.
void check(const CuptiApi& api, CUptiResult code, std::string_view doing);

/// The toolkit release that a number of cuptiGetVersion stands for: 130001 is "13.0.1", 28 is "12.9.1"; "API 18" if it
/// is older than the interface used here.
std::string version_text(std::uint32_t version);

}  // namespace kerntune::cupti

/// A parameter block of CUPTI's, zeroed but for its size.
#define KERNTUNE_CUPTI_PARAMS(name, type) \
  type name{};                            \
  name.structSize = type##_STRUCT_SIZE
