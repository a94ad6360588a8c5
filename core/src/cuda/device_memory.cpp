// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include <fmt/format.h>

#include <utility>

namespace kerntune::cuda {

DeviceMemory::DeviceMemory(Context& context, std::uint64_t bytes, std::string_view what)
    : context_(&context), bytes_(bytes) {
  if (bytes == 0) return;
  const CUresult made = context.api().memory_alloc(&address_, bytes);
  if (made == CUDA_SUCCESS) return;
  constexpr double kMiB = 1 << 20;
  context.check(made, fmt::format("allocate {:.1f} MiB for {} ({:.1f} MiB are free)", static_cast<double>(bytes) / kMiB,
                                  what, static_cast<double>(context.free_bytes()) / kMiB));
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : context_(other.context_), address_(std::exchange(other.address_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (address_ != 0) context_->api().memory_free(address_);
}

}  // namespace kerntune::cuda
