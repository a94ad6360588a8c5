// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <kerntune/expr/value.hpp>

#include "spec/json_document.hpp"

namespace kerntune {

/// A JSON object under construction: members in the order of the calls, defaults left out.
class JsonMembers {
 public:
  JsonMembers& put(std::string_view name, JsonValue value);
  JsonMembers& text(std::string_view name, std::string_view value);
  JsonMembers& integer(std::string_view name, std::int64_t value);
  JsonMembers& number(std::string_view name, double value);
  JsonMembers& texts(std::string_view name, const std::vector<std::string>& values);
  JsonMembers& numbers(std::string_view name, const std::vector<double>& values);
  JsonMembers& numbers(std::string_view name, const std::map<std::string, double>& values);
  JsonMembers& integers(std::string_view name, const std::map<std::string, std::int64_t>& values);

  /// Nothing if the value is the one that an absent member means.
  JsonMembers& given(std::string_view name, std::string_view value, std::string_view absent = "");
  JsonMembers& unless(bool is_default, std::string_view name, JsonValue value);
  /// Nothing if there are none.
  template <class T, class Convert>
  JsonMembers& list(std::string_view name, const std::vector<T>& values, Convert convert) {
    if (values.empty()) return *this;
    JsonValue::Array array;
    array.reserve(values.size());
    for (const T& value : values) append(array, convert(value));
    return put_array(name, std::move(array));
  }

  JsonValue take();

 private:
  static void append(JsonValue::Array& array, JsonValue value);
  JsonMembers& put_array(std::string_view name, JsonValue::Array array);

  JsonValue::Object members_;
};

JsonValue json_of(std::string_view text);
JsonValue json_of(bool value);
JsonValue json_of(std::int64_t value);
/// Whole numbers without a fraction.
JsonValue json_of(double value);
JsonValue json_of(const expr::Literal& literal);

}  // namespace kerntune
