// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kerntune::cuda {

/// What `ptxas -v` says about one entry function. CUDA 12 prints constant banks, CUDA 13 does not.
struct PtxasFacts {
  std::int64_t regs = 0;
  std::int64_t stack_bytes = 0;
  std::int64_t spill_store_bytes = 0, spill_load_bytes = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t constant_bytes = 0;  // all banks of the "Used" line
  bool complete = false;            // the "Used ... registers" line was seen
};

struct PtxasReport {
  std::map<std::string, PtxasFacts, std::less<>> entries;  // by mangled name; device functions are not among them
  std::string rest;                                        // the log without the lines of -v: warnings and errors
};

/// Reads the log of a compilation with --ptxas-options=-v. Understands the formats of CUDA 11.x to 13.x:
///   ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'
///   ptxas info    : Function properties for _Z1kPf
///   ptxas         .     624 bytes stack frame, 688 bytes spill stores, 712 bytes spill loads
///   ptxas info    : Used 64 registers, used 1 barriers, 624 bytes cumulative stack size, 512 bytes smem, 368 bytes
///   cmem[0]
/// Total: lines that it does not know are kept in `rest`; numbers that do not parse are left 0.
PtxasReport parse_ptxas_log(std::string_view log);

}  // namespace kerntune::cuda
