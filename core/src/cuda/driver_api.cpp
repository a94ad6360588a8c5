// SPDX-License-Identifier: Apache-2.0
#include "driver_api.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include <kerntune/core/errors.hpp>

#include "shared_library.hpp"

namespace kerntune::cuda {
namespace {

#define KERNTUNE_TEXT_OF(symbol) #symbol
#define KERNTUNE_TEXT(symbol) KERNTUNE_TEXT_OF(symbol)

/// Older names of functions whose signature did not change: headers newer than the driver.
void* find(const SharedLibrary& library, const char* symbol) {
  if (void* function = library.symbol(symbol)) return function;
  if (std::strcmp(symbol, "cuEventElapsedTime_v2") == 0) return library.symbol("cuEventElapsedTime");
  return nullptr;
}

struct LoadedDriver {
  DriverApi api;
  std::string why_not;  // empty: usable
};

/// The name of the first required function that is missing, or nothing.
std::string resolve(const SharedLibrary& library, DriverApi& api) {
  std::string missing;
  const auto take = [&](auto& function, const char* symbol, bool is_required) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find(library, symbol));
    if (function == nullptr && is_required && missing.empty()) missing = symbol;
  };
#define KERNTUNE_REQUIRED(member, symbol) take(api.member, KERNTUNE_TEXT(symbol), true);
#define KERNTUNE_OPTIONAL(member, symbol) take(api.member, KERNTUNE_TEXT(symbol), false);
  KERNTUNE_DRIVER_FUNCTIONS(KERNTUNE_REQUIRED, KERNTUNE_OPTIONAL)
#undef KERNTUNE_REQUIRED
#undef KERNTUNE_OPTIONAL
  return missing;
}

LoadedDriver load_driver() {
  LoadedDriver loaded;
  const std::array<std::string, 1> names{"libcuda.so.1"};
  const SharedLibrary library = SharedLibrary::open_first(names);
  if (!library) {
    loaded.why_not = fmt::format(
        "libcuda.so.1 cannot be loaded ({}); install the NVIDIA driver, or give the container its libraries",
        library.why_not());
  } else if (const std::string missing = resolve(library, loaded.api); !missing.empty()) {
    loaded.why_not =
        fmt::format("libcuda.so.1 has no {}: the driver is older than this build needs (CUDA 12); update it", missing);
  }
  return loaded;
}

// Codes that newer headers name, as numbers so that older headers compile.
constexpr int kContained = 226, kTensorMemoryLeak = 721;

/// What a configuration cannot have done: the device, the driver or the link to it failed. An uncorrectable memory
/// error is among them; a new process goes on with other pages.
bool is_device_failure(CUresult code) noexcept {
  switch (static_cast<int>(code)) {
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case kContained:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
      return true;
    default:
      return false;
  }
}

}  // namespace

const DriverApi* driver_api(std::string* why_not) {
  static const LoadedDriver loaded = load_driver();
  if (loaded.why_not.empty()) return &loaded.api;
  if (why_not != nullptr) *why_not = loaded.why_not;
  return nullptr;
}

std::string describe(const DriverApi& api, CUresult code) {
  const char* name = nullptr;
  const char* text = nullptr;
  api.error_name(code, &name);
  api.error_text(code, &text);
  return fmt::format("{} ({}): {}", name != nullptr ? name : "unknown error", static_cast<int>(code),
                     text != nullptr ? text : "no description");
}

bool is_sticky(CUresult code) noexcept {
  switch (static_cast<int>(code)) {
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case kTensorMemoryLeak:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return is_device_failure(code);
  }
}

Reason reason_of(CUresult code) noexcept {
  if (code == CUDA_ERROR_LAUNCH_TIMEOUT) return Reason::timeout;
  if (is_device_failure(code)) return Reason::device_lost;
  if (is_sticky(code)) return Reason::fault;
  switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return Reason::out_of_memory;
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
      return Reason::device_limit;
    default:
      return Reason::launch_error;
  }
}

void require(const DriverApi& api, CUresult code, std::string_view doing) {
  if (code != CUDA_SUCCESS) throw DeviceError(fmt::format("{}: {}", doing, describe(api, code)));
}

}  // namespace kerntune::cuda
