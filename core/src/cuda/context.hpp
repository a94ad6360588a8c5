// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "driver_api.hpp"
#include "rejected.hpp"

namespace kerntune::cuda {

/// A device's primary context, current on the creating thread, and the one stream that everything runs on.
/// The stream is a blocking one: work that a plugin puts on the legacy default stream is ordered with it.
/// Used by one thread.
class Context {
 public:
  /// Borrows `api`. Errors: DeviceError.
  Context(const DriverApi& api, int ordinal);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const DriverApi& api() const noexcept { return api_; }
  CUstream stream() const noexcept { return stream_; }
  CUcontext handle() const noexcept { return primary_; }
  int ordinal() const noexcept { return ordinal_; }
  int attribute(CUdevice_attribute which) const;

  /// For functions called by others, and after callbacks that may have made another context current.
  void make_current();
  /// Throws Rejected("<doing>: <description>") unless `code` is success; remembers a sticky error.
  void check(CUresult code, std::string_view doing);
  /// Waits for the stream. Errors of the work before it surface here.
  void synchronize(std::string_view doing);
  /// True after a sticky error: the process must be replaced.
  bool lost() const noexcept { return lost_; }
  std::uint64_t free_bytes() const noexcept;

 private:
  const DriverApi& api_;
  int ordinal_;
  CUdevice device_ = 0;
  CUcontext primary_ = nullptr;
  CUstream stream_ = nullptr;
  bool lost_ = false;
};

}  // namespace kerntune::cuda
