// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kerntune {

/// The bytes of a file; a gzip file is unpacked (at most 2 GiB). Errors: Error naming the file and what went wrong.
std::string read_file(const std::string& path);

/// As read_file, but for text that is not compressed: a gzip file comes back as it is.
std::string read_plain_file(const std::string& path);

}  // namespace kerntune
