// SPDX-License-Identifier: Apache-2.0
// Sanitizers end a process that opens a library with RTLD_DEEPBIND, as CUPTI does with its host library. In a test
// program built with one, this definition comes before the sanitizer's and leaves the flag out.
#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) void* dlopen(const char* file, int mode) noexcept {
  using Open = void* (*)(const char*, int);
  static const auto next = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
  return next(file, mode & ~RTLD_DEEPBIND);
}
