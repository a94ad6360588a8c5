// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kerntune/core/kernel_spec.hpp>

namespace kerntune {

/// Fills what a spec file leaves to files beside it: the text of code.file if `text` is empty, the headers without
/// text, and the headers that #include "name" lines ask for, also among each other, where such files exist. Errors:
/// Error naming the file.
void load_source(SourceCode& code, const std::string& folder);

}  // namespace kerntune
