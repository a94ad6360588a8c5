// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kerntune::process {

/// A foreign text (a plugin's, a compiler's, a worker's output) as it can be stored, put into JSON and printed on a
/// terminal: UTF-8, at most `max_bytes` of the original, and '?' for every control character but line ends and tabs.
std::string printable_copy(std::string_view text, std::size_t max_bytes);

}  // namespace kerntune::process
