// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kerntune {

/// Whether a character may stand in a name of C or Python. ASCII whatever the locale.
inline bool is_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace kerntune
