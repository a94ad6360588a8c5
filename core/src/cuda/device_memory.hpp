// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "context.hpp"

namespace kerntune::cuda {

/// An allocation on the device. Move-only; freed with the context current. Borrows the context.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// Zero bytes make an empty one. `what` names it in messages. Errors: Rejected out_of_memory, with what is free.
  DeviceMemory(Context& context, std::uint64_t bytes, std::string_view what);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();

  CUdeviceptr address() const noexcept { return address_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  Context* context_ = nullptr;
  CUdeviceptr address_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace kerntune::cuda
