// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <kerntune/search/param_space.hpp>

namespace kerntune::search {

inline Param ints(std::string name, std::initializer_list<std::int64_t> values) {
  return {std::move(name), {values.begin(), values.end()}};
}

/// first, first + 1, ..., last.
inline Param range(std::string name, std::int64_t first, std::int64_t last) {
  Param param = {std::move(name), {}};
  for (std::int64_t value = first; value <= last; ++value) {
    param.values.emplace_back(value);
  }
  return param;
}

/// The message of the SpaceError that `action` throws; empty if it throws none.
template <class Action>
std::string space_error_of(Action&& action) {
  try {
    action();
    return "";
  } catch (const SpaceError& error) {
    return error.what();
  }
}

}  // namespace kerntune::search
