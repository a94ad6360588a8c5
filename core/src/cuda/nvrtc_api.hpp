// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvrtc.h>

#include <string>
#include <string_view>

namespace kerntune::cuda {

/// The functions of NVRTC that are used, found in the library that this process loads.
struct NvrtcApi {
  decltype(&::nvrtcVersion) version = nullptr;
  decltype(&::nvrtcGetErrorString) error_string = nullptr;
  decltype(&::nvrtcGetNumSupportedArchs) supported_arch_count = nullptr;
  decltype(&::nvrtcGetSupportedArchs) supported_archs = nullptr;
  decltype(&::nvrtcCreateProgram) create_program = nullptr;
  decltype(&::nvrtcDestroyProgram) destroy_program = nullptr;
  decltype(&::nvrtcAddNameExpression) add_name_expression = nullptr;
  decltype(&::nvrtcCompileProgram) compile_program = nullptr;
  decltype(&::nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&::nvrtcGetProgramLog) log = nullptr;
  decltype(&::nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&::nvrtcGetCUBIN) cubin = nullptr;
  decltype(&::nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&::nvrtcGetPTX) ptx = nullptr;
  decltype(&::nvrtcGetLoweredName) lowered_name = nullptr;
  int major = 0, minor = 0;
};

/// The library's functions, loaded at the first call: $KERNTUNE_NVRTC alone if it is set, else libnvrtc.so.13, .12,
/// plain, by the loader's search and then in the usual folders. Null if none loads or one lacks a function; `why_not`
/// then says so. Threads: any.
const NvrtcApi* nvrtc_api(std::string* why_not = nullptr);

}  // namespace kerntune::cuda
