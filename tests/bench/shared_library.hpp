// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

namespace kerntune::bench {

/// A library opened at run time, so that a comparison builds without its headers: the first of `names` that is there.
/// Never closed. Functions return a status, 0 for success. Errors: std::runtime_error.
class SharedLibrary {
 public:
  SharedLibrary(const char* what, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (name != nullptr && handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    }
    if (handle_ == nullptr) throw std::runtime_error(std::string("load ") + what + ": " + dlerror());
  }

  template <class Function>
  Function find(const char* name) const {
    const auto function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr) throw std::runtime_error(std::string("the library has no ") + name);
    return function;
  }
  template <class... Args>
  int status(const char* name, Args... args) const {
    return find<int (*)(Args...)>(name)(args...);
  }
  template <class... Args>
  void call(const char* name, Args... args) const {
    if (const int code = status(name, args...); code != 0)
      throw std::runtime_error(std::string(name) + " failed with status " + std::to_string(code));
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace kerntune::bench
