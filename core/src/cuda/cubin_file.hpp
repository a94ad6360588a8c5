// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <kerntune/core/compile.hpp>

namespace kerntune::cuda {

/// A compiled module as one self-describing file: a line "kerntune-cubin 1", a line "sha256 <digest of the rest>", then
/// fields "<tag> <size>\n<bytes>\n" in a fixed order.
std::string encode_cubin_file(const CompiledModule& module);

/// Nothing if the text is not such a file, is damaged, or belongs to another version. Never throws on bad input.
std::optional<CompiledModule> decode_cubin_file(std::string_view text);

}  // namespace kerntune::cuda
