// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/compile.hpp>

#include "cache_folder.hpp"
#include "cubin_file.hpp"

namespace kerntune {

struct CubinCache::Files : cuda::CacheFolder {
  using CacheFolder::CacheFolder;
};

std::string CubinCache::default_folder() { return cuda::CacheFolder::default_folder("cubin"); }

CubinCache::CubinCache(std::string folder)
    : files_(std::make_shared<Files>(std::move(folder), ".cubin", "compiled kernels")) {}

bool CubinCache::load(const std::string& key, CompiledModule& out) const {
  const auto bytes = files_->load(key);
  if (!bytes) return false;
  auto module = cuda::decode_cubin_file(*bytes);
  if (!module || module->key != key) return false;  // damaged or foreign: the next store replaces it
  out = std::move(*module);
  out.from_cache = true;
  return true;
}

void CubinCache::store(const CompiledModule& module) { files_->store(module.key, cuda::encode_cubin_file(module)); }
const std::string& CubinCache::warning() const noexcept { return files_->warning(); }
const std::string& CubinCache::folder() const noexcept { return files_->folder(); }

}  // namespace kerntune
