// SPDX-License-Identifier: Apache-2.0
#pragma once

#if KERNTUNE_HAVE_CUDA && __has_include(<nvtx3/nvtx3.hpp>)
#include <nvtx3/nvtx3.hpp>
#define KERNTUNE_HAVE_NVTX 1
#else
#define KERNTUNE_HAVE_NVTX 0
#endif

namespace kerntune::nvtx {

/// What a timeline (Nsight Systems) shows of the engine, in one domain. Names in use: "compile", "screen", "verify",
/// "confirm". Without a tool attached a range costs a few nanoseconds; without the toolkit's NVTX header it costs
/// nothing.
#if KERNTUNE_HAVE_NVTX
struct Domain {
  static constexpr const char* name = "kerntune";
};

class Range {
 public:
  /// `name` is a literal: it is registered nowhere and copied by the tool.
  explicit Range(const char* name) : range_(name) {}

 private:
  nvtx3::scoped_range_in<Domain> range_;
};
#else
class Range {
 public:
  explicit Range(const char*) {}
};
#endif

}  // namespace kerntune::nvtx
