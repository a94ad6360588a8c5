// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace kerntune::storage {

/// Makes the file and its folders with this content, all at once: at no instant does `path` exist with less. If another
/// process makes the file first, that one stays. Errors: std::system_error, and nothing is left at `path`.
void create_file(const std::string& path, std::span<const std::byte> content);

}  // namespace kerntune::storage
