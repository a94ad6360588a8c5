// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kerntune/core/device.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace kerntune::testing_support {

/// Why there is no usable GPU here; empty if there is one. Looks once per process.
inline const std::string& why_no_gpu() {
  static const std::string reason = [] {
    const DeviceList list = list_devices();
    for (const DeviceInfo& device : list.devices)
      if (device.kind == DeviceKind::cuda) return std::string();
    std::string text = "no GPU";
    for (const std::string& sentence : list.unavailable) text += "; " + sentence;
    return text;
  }();
  return reason;
}

inline bool gpu_is_required() {
  const char* value = std::getenv("KERNTUNE_REQUIRE_GPU");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace kerntune::testing_support

/// First line of a GPU test: without a device it skips with the reason, or fails under KERNTUNE_REQUIRE_GPU=1, so that
/// a run on a machine with a GPU cannot pass by skipping.
#define KERNTUNE_NEEDS_GPU()                                                                                          \
  do {                                                                                                                \
    if (const std::string& reason_ = kerntune::testing_support::why_no_gpu(); !reason_.empty()) {                     \
      if (kerntune::testing_support::gpu_is_required()) FAIL() << "KERNTUNE_REQUIRE_GPU=1, but there is " << reason_; \
      GTEST_SKIP() << reason_;                                                                                        \
    }                                                                                                                 \
  } while (false)
