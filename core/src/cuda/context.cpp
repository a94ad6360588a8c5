// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"

#include <fmt/format.h>

namespace kerntune::cuda {

Context::Context(const DriverApi& api, int ordinal) : api_(api), ordinal_(ordinal) {
  const std::string doing = fmt::format("open device 'cuda:{}'", ordinal);
  require(api_, api_.init(0), doing);
  require(api_, api_.device_get(&device_, ordinal), doing);
  require(api_, api_.primary_retain(&primary_, device_), doing);
  try {
    require(api_, api_.context_set(primary_), doing);
    require(api_, api_.stream_create(&stream_, CU_STREAM_DEFAULT), doing);
  } catch (...) {
    api_.primary_release(device_);
    throw;
  }
}

Context::~Context() {
  // In a lost context these fail at once; the process is about to be replaced.
  api_.stream_destroy(stream_);
  api_.context_set(nullptr);
  api_.primary_release(device_);
}

int Context::attribute(CUdevice_attribute which) const {
  int value = 0;
  api_.device_attribute(&value, which, device_);
  return value;
}

void Context::make_current() { check(api_.context_set(primary_), "make the device's context current"); }

void Context::check(CUresult code, std::string_view doing) {
  if (code == CUDA_SUCCESS) return;
  lost_ = lost_ || is_sticky(code);
  throw Rejected(reason_of(code), fmt::format("{}: {}", doing, describe(api_, code)));
}

void Context::synchronize(std::string_view doing) { check(api_.stream_synchronize(stream_), doing); }

std::uint64_t Context::free_bytes() const noexcept {
  std::size_t free = 0, total = 0;
  return api_.memory_info(&free, &total) == CUDA_SUCCESS ? free : 0;
}

}  // namespace kerntune::cuda
