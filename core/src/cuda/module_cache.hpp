// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <string>

#include <kerntune/core/compile.hpp>

#include "context.hpp"

namespace kerntune::cuda {

/// A cubin in the context; unloaded when destroyed. Borrows the context.
class LoadedModule {
 public:
  /// Errors: Rejected.
  LoadedModule(Context& context, const CompiledModule& module);
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  const std::string& digest() const noexcept { return digest_; }
  CUfunction function(const std::string& lowered_name);

  struct Global {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
  };
  /// A __constant__ or __device__ variable.
  Global global(const std::string& symbol);

 private:
  Context& context_;
  std::string digest_;
  CUmodule module_ = nullptr;
};

/// Modules by cubin digest: configurations that differ in launch-time parameters only share one. Keeps the last few
/// alive for the next configurations; the others are unloaded when their last user goes.
class ModuleCache {
 public:
  explicit ModuleCache(Context& context) : context_(context) {}
  std::shared_ptr<LoadedModule> load(const CompiledModule& module);
  /// Unloads modules that no configuration uses.
  void drop_idle();

 private:
  static constexpr std::size_t kKept = 16;

  Context& context_;
  std::list<std::shared_ptr<LoadedModule>> recent_;  // latest first; shared with the configurations that use them
};

}  // namespace kerntune::cuda
