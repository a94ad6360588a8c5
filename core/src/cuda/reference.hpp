// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kerntune/core/plugin_host.hpp>

#include "buffers.hpp"
#include "preparation.hpp"

namespace kerntune::cuda {

/// What the outputs should be, on the device: one buffer per output of the spec, null for the other buffers. Shared
/// with nobody once made.
using ExpectedOutputs = std::vector<std::shared_ptr<GuardedBuffer>>;

/// Where expected outputs come from.
class ReferenceSource {
 public:
  virtual ~ReferenceSource() = default;
  /// Expected outputs for the inputs that `seed` gives, of the sizes of `set`. May change every buffer of `set` but its
  /// inputs. Errors: Rejected, if the reference cannot run, damages memory, or leaves elements unwritten.
  virtual ExpectedOutputs run(std::uint64_t seed, BufferSet& set) = 0;
};

/// What references need of their session. Copied; what it names is borrowed.
struct ReferenceSite {
  Context& context;
  EngineKernels& kernels;
  ModuleCache& modules;
  const SpecProgram& program;
  Dims dims;
  const DeviceInfo& device;
  const PluginKernel* plugin;  // null for spec files
};

/// The spec's reference kernel, with outputs and workspaces of its own.
std::unique_ptr<ReferenceSource> reference_by_kernel(const ReferenceSite& site, std::vector<CompiledModule> modules);
/// The plugin's host callback: inputs are copied to the host, outputs back.
std::unique_ptr<ReferenceSource> reference_by_host(const ReferenceSite& site);
/// The default configuration's own outputs, copied after it ran on its own buffer set.
std::unique_ptr<ReferenceSource> reference_by_default(const ReferenceSite& site,
                                                      std::unique_ptr<CudaPrepared> prepared);

/// Compares the reference kernel with the host callback at the spec's check_dims, with buffers of its own. `modules`
/// are those of the session's dims; if the reference's code depends on the dims, it is compiled here for the check
/// (through the cubin cache). Errors: Rejected wrong_result, and what either reference throws.
void check_reference_kernel(const ReferenceSite& site, const std::vector<CompiledModule>& modules);

/// New buffers for the outputs of `set`; null for the others.
ExpectedOutputs make_outputs(const ReferenceSite& site, const BufferSet& set);
/// Runs `enqueue`, which writes the outputs of `set`, under observation, and makes sure that all of them are written:
/// what is not written is no expectation. A real that still holds the poison is found at once; integers, whose poison
/// may be a result, take a second run with other poison, which must give the same. Throws Rejected that blames `who`.
void run_reference(const ReferenceSite& site, BufferSet& set, std::uint64_t seed, const char* who,
                   const std::function<void()>& enqueue);

/// A number per buffer that changes with any bit of it; 0 for those that are no outputs.
std::vector<std::uint64_t> output_digests(const ReferenceSite& site, const BufferSet& set);

}  // namespace kerntune::cuda
