// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace kerntune {

inline bool starts_kernel_name(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool continues_kernel_name(char c) noexcept {
  return starts_kernel_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/// What a kernel may be called: a word that command lines, file names and databases take unquoted.
inline bool is_kernel_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= 128 && starts_kernel_name(name[0]) &&
         std::all_of(name.begin(), name.end(), continues_kernel_name);
}

/// A kernel's name from another tool's: characters that names do not have become '_'.
inline std::string as_kernel_name(std::string text) {
  text.resize(std::min<std::size_t>(text.size(), 120));
  std::replace_if(text.begin(), text.end(), [](char c) { return !continues_kernel_name(c); }, '_');
  return text.empty() || !starts_kernel_name(text[0]) ? "_" + text : text;
}

}  // namespace kerntune
