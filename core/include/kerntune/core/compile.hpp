// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include <kerntune/core/rejection.hpp>

namespace kerntune {

/// One NVRTC compilation: text in, cubin out. Plain data: it crosses process boundaries.
struct CompileJob {
  std::string file;                                             // for messages
  std::string source;
  std::vector<std::pair<std::string, std::string>> headers;     // name, text
  std::vector<std::string> options;                             // in order; without the architecture and register cap
  std::vector<std::string> entries;                             // name expressions
  std::string arch;                                             // real architecture, "sm_90"
  std::int64_t register_cap = 0;                                // 0: none
  double timeout_s = 60;
  std::uint64_t memory_limit_bytes = UINT64_C(4) << 30;         // address space of the compile process
};

/// Digest (SHA-256, hex) of everything that the cubin depends on: source, header contents, options, entries, arch, cap, and the NVRTC
/// version that `nvrtc_version` states ("13.0"). The cubin cache's file name.
std::string compile_key(const CompileJob& job, const std::string& nvrtc_version);

/// What the compiler and the cubin say about one entry, before any launch.
struct EntryFacts {
  std::string lowered_name;       // mangled: what cuModuleGetFunction takes
  std::int64_t regs = 0;          // per thread
  std::int64_t stack_bytes = 0;
  std::int64_t spill_store_bytes = 0, spill_load_bytes = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t constant_bytes = 0;
};

struct CompiledModule {
  std::string key;                              // compile_key
  std::string cubin;                            // bytes
  std::string cubin_digest;                     // SHA-256 of the bytes: equal binaries are duplicates
  std::map<std::string, EntryFacts> entries;    // by name expression
  std::string log;                              // warnings
  double compile_ms = 0;                        // of the compilation that made it, also when it came from the cache
  bool from_cache = false;
};

/// Cubins on disk, one file per key, written atomically (temporary file, fsync, rename) and checked by digest when read.
/// A damaged or foreign file is a miss and is replaced. Many processes may share a folder.
class CubinCache {
 public:
  /// Creates the folder if needed. A folder that cannot be written leaves a cache that only reads, and says so once
  /// through warning().
  explicit CubinCache(std::string folder);
  /// $KERNTUNE_CACHE_DIR/cubin, else $XDG_CACHE_HOME/kerntune/cubin, else ~/.cache/kerntune/cubin.
  static std::string default_folder();

  bool load(const std::string& key, CompiledModule& out) const;
  void store(const CompiledModule& module);
  const std::string& warning() const noexcept { return warning_; }
  const std::string& folder() const noexcept { return folder_; }

 private:
  std::string folder_;
  std::string warning_;
};

/// The NVRTC library, loaded at run time (libnvrtc.so.13, .12, plain, or $KERNTUNE_NVRTC).
namespace nvrtc {
/// "13.0", or empty with `why_not` set if the library cannot be loaded.
std::string version(std::string* why_not = nullptr);
/// Real architectures the compiler accepts: {75, 80, ...}.
std::vector<int> architectures();
/// Compiles in this process. Call from compile workers only: the compiler may crash or hang.
/// Rejections: compile_error with the log, cap_not_effective.
tl::expected<CompiledModule, Rejection> compile(const CompileJob& job);
}  // namespace nvrtc

}  // namespace kerntune
