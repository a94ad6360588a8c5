// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kerntune/core/device.hpp>
#include <kerntune/core/plugin_host.hpp>
#include <kerntune/core/spec_program.hpp>

#include <memory>
#include <string>

namespace kerntune::testkernels {

/// A spec of one kernel, `add`: c[i] = a[i] + b[i], over f32, with `batch` elements. Without `text` the code is
/// kAddText. `extra` holds more members, starting with a comma; its "buffers" and "tolerances" replace the usual ones.
std::string add_spec(const std::string& params, const std::string& steps, const std::string& text,
                     const std::string& extra = "");

/// A callable kernel that copies `a` to `c`; with sync=1 its launch waits for the stream, which it must not;
/// with sync=2 it reports success and launches nothing.
std::string callable_spec();

/// The usual pieces of it.
inline constexpr const char* kAddParams =
    R"([{"name": "block", "values": [64, 128], "default": 64, "role": "block_x"}])";
inline constexpr const char* kAddSteps = R"json([{"kind": "launch", "entry": "add", "grid": ["ceil_div(batch, block)"],
  "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i32", "value": "batch"}]}])json";
inline constexpr const char* kAddText =
    R"cuda(extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
})cuda";

/// The spec as a program, and a plugin kernel whose host reference adds (copies, if there is no buffer `b`) and whose
/// launch, for callable specs, copies `a` to `c` on the device.
struct Kernel {
  std::shared_ptr<const SpecProgram> program;
  std::unique_ptr<PluginKernel> plugin;
};
Kernel kernel_of(const std::string& json);

/// A request for a session at `batch` elements.
SessionRequest request_for(const Kernel& kernel, std::int64_t batch, MeasurePolicy policy = {});

/// Compiles what a configuration needs, in this process and without a cache.
tl::expected<CompiledModule, Rejection> compile(const Kernel& kernel, const std::string& config, const Dims& dims,
                                                const DeviceInfo& device);

/// "block=128,bug=late" as a configuration of the kernel.
search::Config config_of(const Kernel& kernel, const std::string& text);

}  // namespace kerntune::testkernels
