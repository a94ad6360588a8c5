// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <kerntune/core/spec_program.hpp>

#include "device_memory.hpp"
#include "engine_kernels.hpp"

namespace kerntune::cuda {

/// Device memory of one of the kernel's buffers, between two guard zones of kGuardBytes or more. The data begins at the
/// buffer's alignment and the rear zone at the very next byte, so that one element too many is seen.
class GuardedBuffer {
 public:
  static constexpr std::uint64_t kGuardBytes = 65536;

  /// Borrows both. Errors: Rejected out_of_memory.
  GuardedBuffer(Context& context, EngineKernels& kernels, const BufferPlan& plan, unsigned index);

  CUdeviceptr data() const noexcept { return data_; }
  bool fits(const BufferPlan& plan) const noexcept { return plan.bytes == bytes_ && data_ % plan.alignment == 0; }

  void write_guards();
  /// What was overwritten around the buffer, as a sentence; nothing if both zones are intact.
  std::optional<std::string> guard_damage();

  /// The seed whose fill the buffer holds, if it holds one unchanged. The owner of the launches keeps it true.
  std::optional<std::uint64_t> filled_from;

 private:
  std::uint64_t guard_key(std::uint64_t side) const noexcept { return side * 0x9e3779b97f4a7c15u + index_; }

  EngineKernels& kernels_;
  std::string name_;
  unsigned index_;
  std::uint64_t bytes_;
  DeviceMemory memory_;
  CUdeviceptr data_;
};

}  // namespace kerntune::cuda
