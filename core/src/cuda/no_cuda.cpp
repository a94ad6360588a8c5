// SPDX-License-Identifier: Apache-2.0
// What the CUDA part answers in a build without the CUDA headers (KERNTUNE_WITH_CUDA=OFF).
#include <kerntune/core/compile.hpp>
#include <kerntune/core/errors.hpp>

#include <fmt/format.h>

#include "cuda_device.hpp"
#include "nvrtc_path.hpp"

namespace kerntune {
namespace {
constexpr const char* kNoCuda =
    "this build has no CUDA support; configure it with KERNTUNE_WITH_CUDA=ON where the CUDA toolkit's headers are";
}

namespace nvrtc {
std::string version(std::string* why_not) {
  if (why_not != nullptr) *why_not = kNoCuda;
  return {};
}
std::vector<int> architectures() { return {}; }
tl::expected<CompiledModule, Rejection> compile(const CompileJob& job) {
  throw DeviceError(fmt::format("compile '{}': {}", job.file, kNoCuda));
}
}  // namespace nvrtc

namespace cuda {
std::string nvrtc_path() { return {}; }
}  // namespace cuda

std::unique_ptr<Device> open_cuda_device(int ordinal) {
  throw DeviceError(fmt::format("open device 'cuda:{}': {}", ordinal, kNoCuda));
}
std::vector<DeviceInfo> list_cuda_devices(std::vector<std::string>& unavailable) {
  unavailable.push_back(fmt::format("no CUDA device: {}", kNoCuda));
  return {};
}

CounterAccess cuda_counter_access(const DeviceInfo&) {
  CounterAccess none;
  none.reason = kNoCuda;
  return none;
}

}  // namespace kerntune
