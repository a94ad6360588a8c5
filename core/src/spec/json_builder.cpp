// SPDX-License-Identifier: Apache-2.0
#include "spec/json_builder.hpp"

namespace kerntune {
namespace {

template <class Value>
JsonValue object_of(const std::map<std::string, Value>& values) {
  JsonValue::Object members;
  for (const auto& [name, value] : values) members.push_back({name, json_of(value)});
  JsonValue object;
  object.data = std::move(members);
  return object;
}

}  // namespace

JsonMembers& JsonMembers::put(std::string_view name, JsonValue value) {
  members_.push_back({std::string(name), std::move(value)});
  return *this;
}

JsonMembers& JsonMembers::text(std::string_view name, std::string_view value) { return put(name, json_of(value)); }
JsonMembers& JsonMembers::integer(std::string_view name, std::int64_t value) { return put(name, json_of(value)); }
JsonMembers& JsonMembers::number(std::string_view name, double value) { return put(name, json_of(value)); }

JsonMembers& JsonMembers::texts(std::string_view name, const std::vector<std::string>& values) {
  return list(name, values, [](const std::string& value) { return json_of(std::string_view(value)); });
}

JsonMembers& JsonMembers::numbers(std::string_view name, const std::vector<double>& values) {
  return list(name, values, [](double value) { return json_of(value); });
}

JsonMembers& JsonMembers::numbers(std::string_view name, const std::map<std::string, double>& values) {
  return values.empty() ? *this : put(name, object_of(values));
}

JsonMembers& JsonMembers::integers(std::string_view name, const std::map<std::string, std::int64_t>& values) {
  return put(name, object_of(values));
}

JsonMembers& JsonMembers::given(std::string_view name, std::string_view value, std::string_view absent) {
  return value == absent ? *this : text(name, value);
}

JsonMembers& JsonMembers::unless(bool is_default, std::string_view name, JsonValue value) {
  return is_default ? *this : put(name, std::move(value));
}

JsonValue JsonMembers::take() {
  JsonValue object;
  object.data = std::move(members_);
  return object;
}

void JsonMembers::append(JsonValue::Array& array, JsonValue value) { array.push_back(std::move(value)); }

JsonMembers& JsonMembers::put_array(std::string_view name, JsonValue::Array array) {
  JsonValue value;
  value.data = std::move(array);
  return put(name, std::move(value));
}

JsonValue json_of(std::string_view text) { return {std::string(text)}; }
JsonValue json_of(bool value) { return {value}; }
JsonValue json_of(std::int64_t value) { return {value}; }

JsonValue json_of(double value) {
  const bool is_whole = value > -9e15 && value < 9e15 && value == static_cast<double>(static_cast<std::int64_t>(value));
  return is_whole ? json_of(static_cast<std::int64_t>(value)) : JsonValue{value};
}

JsonValue json_of(const expr::Literal& literal) {
  return std::visit([](const auto& value) { return JsonValue{value}; }, literal);
}

}  // namespace kerntune
