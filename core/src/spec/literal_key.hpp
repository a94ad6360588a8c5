// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include <kerntune/expr/value.hpp>

namespace kerntune {

/// Equal for values that are equal in expressions (True, 1 and 1.0), different for all others.
inline std::string literal_key(const expr::Literal& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return "text " + *text;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "1" : "0";
  const double real = std::get<double>(value);
  const bool is_whole = real >= -9e15 && real <= 9e15 && real == static_cast<double>(static_cast<std::int64_t>(real));
  return is_whole ? fmt::format("{}", static_cast<std::int64_t>(real)) : fmt::format("{}", real);
}

}  // namespace kerntune
