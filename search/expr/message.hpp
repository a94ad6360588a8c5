// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <kerntune/expr/expression.hpp>

namespace kerntune::expr::detail {

/// 'text', with the quotes.
std::string quoted(std::string_view text);

/// `message` followed by the text and a caret line under [offset, offset + length).
std::string with_caret(std::string_view message, std::string_view text, std::size_t offset, std::size_t length);

/// What to write instead of a name that `symbols` does not have.
std::string advice_on_unknown_name(std::string_view name, const Symbols& symbols);

}  // namespace kerntune::expr::detail
