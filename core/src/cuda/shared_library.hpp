// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kerntune::cuda {

/// A library found at run time. Never closed: vendors' libraries keep threads and exit handlers.
class SharedLibrary {
 public:
  /// Opens the first of `candidates` (names or paths) that loads; a missing one leaves the library closed with
  /// why_not() holding the loader's words for every candidate.
  static SharedLibrary open_first(std::span<const std::string> candidates);

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// Null if the symbol is absent.
  void* symbol(const char* name) const noexcept;
  /// As it was asked for.
  const std::string& name() const noexcept { return name_; }
  const std::string& why_not() const noexcept { return why_not_; }

 private:
  void* handle_ = nullptr;
  std::string name_;
  std::string why_not_;
};

}  // namespace kerntune::cuda
