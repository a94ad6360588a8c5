// SPDX-License-Identifier: Apache-2.0
#include "shared_library.hpp"

#include <dlfcn.h>

namespace kerntune::cuda {

SharedLibrary SharedLibrary::open_first(std::span<const std::string> candidates) {
  SharedLibrary library;
  for (const std::string& candidate : candidates) {
    library.handle_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_ != nullptr) {
      library.name_ = candidate;
      library.why_not_.clear();
      return library;
    }
    const char* reason = dlerror();
    if (!library.why_not_.empty()) library.why_not_ += "; ";
    library.why_not_ += reason != nullptr ? reason : candidate + ": unknown error";
  }
  return library;
}

void* SharedLibrary::symbol(const char* name) const noexcept {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

}  // namespace kerntune::cuda
