// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kerntune::expr::detail {

/// 'text', with the quotes.
std::string quoted(std::string_view text);

/// `message` followed by the text and a caret line under [offset, offset + length).
std::string with_caret(std::string_view message, std::string_view text, std::size_t offset, std::size_t length);

}  // namespace kerntune::expr::detail
