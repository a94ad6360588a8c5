// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda/driver_api.hpp"

namespace kerntune::cuda {

/// A launch as a fake kernel sees it. Device memory is host memory.
struct FakeLaunch {
  unsigned grid[3], block[3];
  unsigned shared_bytes = 0;
  void** arguments = nullptr;
  template <typename T>
  T argument(std::size_t index) const {
    return *static_cast<T*>(arguments[index]);
  }
};

struct FakeKernel {
  std::function<CUresult(const FakeLaunch&)> body = [](const FakeLaunch&) { return CUDA_SUCCESS; };
  std::vector<std::size_t> parameter_bytes;
  int regs = 32, max_threads = 1024, static_shared = 0, local_bytes = 0;
  int blocks_per_sm = 4;
  double duration_ns = 30'000;
};

/// A CUDA driver over host memory: runs everything at once, in order, on a clock of its own, and writes down what was
/// asked. One at a time. The engine's kernels run for real (cuda_engine_emulation.hpp).
class FakeDriver {
 public:
  FakeDriver();
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  const DriverApi& api() const { return api_; }
  /// What has to do with the stream, in order: "launch NAME", "memset N", "event", "graph", "attribute NAME A=V", ...
  std::vector<std::string> log;

  std::map<std::string, FakeKernel> kernels;
  std::map<std::string, std::vector<unsigned char>> globals;
  std::map<CUdevice_attribute, int> attributes;
  int devices = 1;
  std::uint64_t memory_limit = UINT64_C(1) << 26;
  CUresult init_result = CUDA_SUCCESS;
  bool blocker_gives_up = false;
  double event_ns = 0;         // that recording an event takes
  double cycles_per_ns = 1.5;  // of the multiprocessors' clock

  std::uint64_t allocated_bytes() const;
  std::size_t loaded_modules = 0, most_loaded_modules = 0, module_loads = 0, live_events = 0, live_graphs = 0,
              contexts = 0, streams = 0, host_allocations = 0;

  // For the functions of the table.
  struct Function {
    std::string name;
    FakeKernel* kernel = nullptr;  // null for the engine's
    std::map<CUfunction_attribute, int> attributes;
  };
  using Operation = std::function<CUresult()>;
  /// Runs now, or joins the graph being captured.
  CUresult submit(Operation operation);
  CUresult run_kernel(Function& function, const FakeLaunch& launch);
  Function& function(const std::string& name);

  CUresult sticky = CUDA_SUCCESS;   // what every call returns from now on
  CUresult pending = CUDA_SUCCESS;  // a fault that the next synchronisation reports
  double clock_ns = 0;
  double cycles = 0;  // of the multiprocessors, at clock_ns
  void pass(double ns);
  std::map<CUdeviceptr, std::vector<unsigned char>> memory;
  bool capturing = false;
  std::vector<Operation> captured;

 private:
  void use_h200_attributes();

  DriverApi api_;
  std::map<std::string, std::unique_ptr<Function>> functions_;
};

}  // namespace kerntune::cuda
