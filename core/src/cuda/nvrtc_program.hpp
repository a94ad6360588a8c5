// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kerntune/core/compile.hpp>

#include "nvrtc_api.hpp"

namespace kerntune::cuda {

/// One nvrtcProgram: text to cubin, once. Move-only owner of the handle.
class NvrtcProgram {
 public:
  /// Borrows `api`. Errors: DeviceError if NVRTC refuses to make a program (out of memory).
  NvrtcProgram(const NvrtcApi& api, const CompileJob& job);
  ~NvrtcProgram();
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;

  nvrtcResult compile(const std::vector<std::string>& options);
  std::string log() const;
  /// After a compile that succeeded.
  std::string cubin() const;
  std::string ptx() const;
  /// Empty if NVRTC knows no such name.
  std::string lowered_name(const std::string& entry) const;

 private:
  const NvrtcApi& api_;
  nvrtcProgram program_ = nullptr;
};

}  // namespace kerntune::cuda
