// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <kerntune/expr/value.hpp>

namespace kerntune {

struct JsonMember;

/// One value of a parsed JSON text. Members keep the order of the text.
struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;
  using Data = std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object>;

  // Out of line: the type contains itself, and compilers differ in how early they want to know it whole.
  JsonValue() noexcept;
  JsonValue(Data value) noexcept;
  JsonValue(const JsonValue& other);
  JsonValue(JsonValue&& other) noexcept;
  JsonValue& operator=(const JsonValue& other);
  JsonValue& operator=(JsonValue&& other) noexcept;
  ~JsonValue();

  Data data;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

/// A text that is not JSON, or JSON that is not what was expected there. The message starts with the place:
///   params[3].values: expected an array, found the text "[1, 2]"
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class JsonDocument;

/// A value of a document as its reader sees it: asks for what it expects and fails with the place. Cheap to copy.
/// Ownership: borrows the document.
class JsonCursor {
 public:
  JsonCursor(const JsonDocument& document, const JsonValue& value) noexcept : document_(&document), value_(&value) {}

  bool is_null() const noexcept { return holds<std::monostate>(); }
  bool is_boolean() const noexcept { return holds<bool>(); }
  bool is_integer() const noexcept { return holds<std::int64_t>(); }
  bool is_number() const noexcept { return holds<std::int64_t>() || holds<double>(); }
  bool is_text() const noexcept { return holds<std::string>(); }
  bool is_array() const noexcept { return holds<JsonValue::Array>(); }
  bool is_object() const noexcept { return holds<JsonValue::Object>(); }

  // Each fails with JsonError if the value is of another kind.
  bool boolean() const;
  std::int64_t integer() const;  // also 3.0
  double number() const;
  const std::string& text() const;
  expr::Literal literal() const;  // boolean, integer, real or text
  std::size_t size() const;       // of an array or object
  std::vector<JsonCursor> elements() const;
  std::vector<std::pair<std::string_view, JsonCursor>> members() const;

  /// The member, or nothing if it is absent. Fails if this is not an object.
  std::optional<JsonCursor> find(std::string_view member) const;
  /// The member; fails if it is absent.
  JsonCursor at(std::string_view member) const;
  /// Fails if the object has a member that is not in `known`, naming the nearest known one.
  void only(std::initializer_list<std::string_view> known) const;

  /// Where this value is, "params[3].values"; empty for the root. Cost: walks the document.
  std::string place() const;
  [[noreturn]] void fail(const std::string& message) const;

 private:
  template <class T>
  bool holds() const noexcept {
    return std::holds_alternative<T>(value_->data);
  }
  template <class T>
  const T& expect(const char* what) const;

  const JsonDocument* document_;
  const JsonValue* value_;
};

/// A parsed JSON text. Strict: UTF-8, no duplicate members, nesting of at most 64.
class JsonDocument {
 public:
  /// Errors: JsonError with line and column.
  static JsonDocument parse(std::string_view text);

  /// Also accepts a text that breaks off, as a killed program leaves it: what is nested deeper than `kept_depth` and
  /// not complete is dropped. The text must reach that depth. truncated() tells whether it broke off.
  static JsonDocument parse_truncated(std::string_view text, std::size_t kept_depth);

  JsonCursor root() const noexcept { return {*this, *root_}; }
  bool truncated() const noexcept { return truncated_; }

 private:
  JsonDocument() = default;
  std::unique_ptr<JsonValue> root_;  // stable address for cursors
  bool truncated_ = false;
};

/// JSON text of a value, one member or element a line where it holds more than scalars. Errors: JsonError if a text is
/// not UTF-8.
std::string to_json_text(const JsonValue& value);

}  // namespace kerntune
