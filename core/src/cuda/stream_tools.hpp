// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "context.hpp"

namespace kerntune::cuda {

/// Events with timing, made once. Borrows the context.
class EventPool {
 public:
  /// Errors: Rejected.
  EventPool(Context& context, std::size_t count);
  ~EventPool();
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;

  /// Puts event `index` on the context's stream.
  void record(std::size_t index);
  /// Nanoseconds between two recorded events that the stream has passed.
  double elapsed_ns(std::size_t from, std::size_t to) const;

 private:
  explicit EventPool(Context& context) : context_(context) {}

  Context& context_;
  std::vector<CUevent> events_;
};

/// A few words of host memory that kernels can read and write while they run. Borrows the context.
class MappedSignals {
 public:
  /// Errors: Rejected.
  MappedSignals(Context& context, std::size_t words);
  ~MappedSignals();
  MappedSignals(const MappedSignals&) = delete;
  MappedSignals& operator=(const MappedSignals&) = delete;

  void set(std::size_t index, std::uint64_t value) noexcept;
  std::uint64_t get(std::size_t index) const noexcept;
  /// Of a 64-bit word; as a 32-bit one it is the low half.
  CUdeviceptr device_address(std::size_t index) const noexcept { return device_ + index * sizeof(std::uint64_t); }

 private:
  Context& context_;
  std::uint64_t* host_ = nullptr;
  CUdeviceptr device_ = 0;
};

}  // namespace kerntune::cuda
