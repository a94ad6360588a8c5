// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/compile.hpp>

#include "digest.hpp"
#include "toolkit.hpp"

namespace kerntune {
namespace {
// Raise when the engine's own compiler options or the way that facts are read change.
constexpr std::string_view kSchema = "kerntune cubin 1";
}  // namespace

std::string compile_key(const CompileJob& job, const std::string& nvrtc_version) {
  cuda::Sha256 digest;
  digest.field(kSchema).field(nvrtc_version).field(job.arch).field(job.register_cap);
  digest.field(job.file).field(job.source);
  digest.field(static_cast<std::int64_t>(job.headers.size()));
  for (const auto& [name, text] : job.headers) digest.field(name).field(text);
  digest.field(static_cast<std::int64_t>(job.options.size()));
  for (const std::string& option : job.options) digest.field(option);
  digest.field(static_cast<std::int64_t>(job.entries.size()));
  for (const std::string& entry : job.entries) digest.field(entry);
  if (cuda::includes_foreign_headers(job)) {
    digest.field(cuda::toolkit().version);
    for (const std::string& folder : cuda::include_folders_of(job.options)) digest.field(cuda::folder_digest(folder));
  }
  return digest.hex();
}

}  // namespace kerntune
