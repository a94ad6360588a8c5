// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include <kerntune/core/rejection.hpp>

namespace kerntune {

/// One NVRTC compilation: text in, cubin out. Plain data: it crosses process boundaries.
struct CompileJob {
  std::string file;  // for messages
  std::string source;
  std::vector<std::pair<std::string, std::string>> headers;  // name, text
  std::vector<std::string> options;                          // in order; without the architecture and register cap
  std::vector<std::string> entries;                          // name expressions
  std::string arch;                                          // real architecture, "sm_90"
  std::int64_t register_cap = 0;                             // 0: none
  double timeout_s = 60;
  std::uint64_t memory_limit_bytes = UINT64_C(4) << 30;  // private data of the compile process
};

/// Digest (SHA-256, hex) of everything that the cubin depends on: source, header contents, options, entries, arch, cap,
/// the NVRTC version that `nvrtc_version` states ("13.0.88"), and, if the job includes headers that it does not bring
/// along, the toolkit's version and the names, sizes and times of the files under the job's own -I folders. The cubin
/// cache's file name. Limits on time and memory are not part of it. Reads the disk only for jobs with such headers.
/// Threads: any.
std::string compile_key(const CompileJob& job, const std::string& nvrtc_version);

/// What the compiler says about one entry (ptxas -v), before any launch.
struct EntryFacts {
  std::string lowered_name;  // mangled: what cuModuleGetFunction takes
  std::int64_t regs = 0;     // per thread
  std::int64_t stack_bytes = 0;
  std::int64_t spill_store_bytes = 0, spill_load_bytes = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t constant_bytes = 0;  // as ptxas reports it; CUDA 13 no longer does, so 0 there
};

struct CompiledModule {
  std::string key;                            // compile_key
  std::string cubin;                          // bytes
  std::string cubin_digest;                   // SHA-256 of the bytes: equal binaries are duplicates
  std::map<std::string, EntryFacts> entries;  // by name expression
  std::string log;                            // warnings
  double compile_ms = 0;                      // of the compilation that made it, also when it came from the cache
  bool from_cache = false;
};

/// Cubins on disk, one file per key, written atomically (temporary file, fsync, rename) and checked by digest when
/// read. A damaged or foreign file is a miss and is replaced. Many processes may share a folder.
class CubinCache {
 public:
  /// Creates the folder if needed. A folder that cannot be written leaves a cache that only reads, and says so once
  /// through warning().
  explicit CubinCache(std::string folder);
  /// $KERNTUNE_CACHE_DIR/cubin, else $XDG_CACHE_HOME/kerntune/cubin, else ~/.cache/kerntune/cubin.
  static std::string default_folder();

  bool load(const std::string& key, CompiledModule& out) const;
  void store(const CompiledModule& module);
  const std::string& warning() const noexcept;
  const std::string& folder() const noexcept;

 private:
  struct Files;
  std::shared_ptr<Files> files_;
};

/// The NVRTC library, loaded at run time: $KERNTUNE_NVRTC alone if it is set, else libnvrtc.so.13, .12 or plain from
/// $CUDA_HOME/lib64, $CUDA_PATH/lib64, the loader's path and /usr/local/cuda/lib64. Threads: any; compilations take
/// NVRTC's lock.
namespace nvrtc {
/// The release with its patch level ("13.0.88"), or empty with `why_not` set if the library cannot be loaded.
/// Cost: the first call compiles an empty program (about 20 ms), because NVRTC names its patch level nowhere else.
std::string version(std::string* why_not = nullptr);
/// Real architectures the compiler accepts: {75, 80, ...}; empty if the library cannot be loaded.
std::vector<int> architectures();
/// Compiles in this process. Call from compile workers only: the compiler may crash or hang. Does not look into any
/// cache.
///
/// The engine adds the architecture, -v for ptxas, the register cap, and the toolkit's include folders if the job
/// includes headers that it does not bring along ($CUDA_HOME, $CUDA_PATH, beside libnvrtc, /usr/local/cuda), and
/// stand-ins for <stdint.h>, <math.h> and other C headers, which NVRTC lacks. Of the author's options only the
/// architecture is checked: "--gpu-architecture=sm_90a" refines "sm_90", another chip is refused.
///
/// A cap only ever lowers: a kernel with __launch_bounds__, which ignores --maxrregcount, is compiled again with ptxas'
/// --override-directive-values; kernels that obey are not, because the override would raise their limit too.
///
/// Rejections: compile_error with the log; cap_not_effective with the numbers; device_limit for too much static shared
/// memory; unsupported for an architecture that this NVRTC does not know. Errors: DeviceError if NVRTC cannot be
/// loaded.
tl::expected<CompiledModule, Rejection> compile(const CompileJob& job);
}  // namespace nvrtc

}  // namespace kerntune
