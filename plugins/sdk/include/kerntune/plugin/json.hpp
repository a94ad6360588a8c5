// SPDX-License-Identifier: Apache-2.0
// The little JSON that a kernel spec needs, written as text. Authors include <kerntune/plugin/plugin.hpp>.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)
namespace kerntune::plugin::detail {

/// Length of the well-formed UTF-8 sequence at the start of `text` (RFC 3629: no overlong forms, no surrogates, at most
/// U+10FFFF), or 0.
inline std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto in = [](unsigned value, unsigned low, unsigned high) { return value >= low && value <= high; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (in(lead, 0xC2, 0xDF)) return in(byte(1), 0x80, 0xBF) ? 2 : 0;
  if (in(lead, 0xE0, 0xEF)) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return in(byte(1), low, high) && in(byte(2), 0x80, 0xBF) ? 3 : 0;
  }
  if (in(lead, 0xF0, 0xF4)) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return in(byte(1), low, high) && in(byte(2), 0x80, 0xBF) && in(byte(3), 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

inline void append_json_escape(std::string& out, unsigned char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHex[c >> 4U];
      out += kHex[c & 15U];
  }
}

/// A JSON string. Errors: std::invalid_argument if `text` is not UTF-8.
inline std::string json_string(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) throw std::invalid_argument("text is not UTF-8 at byte " + std::to_string(i));
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == '"' || c == '\\') {
      append_json_escape(out, c);
    } else {
      out.append(text, i, length);
    }
    i += length;
  }
  return out += '"';
}

/// A JSON number that reads back as the same real, and as a real: 2.0, not 2. Errors: std::invalid_argument for NaN and
/// infinity.
inline std::string json_real(double value) {
  if (!std::isfinite(value)) throw std::invalid_argument("a number in a kernel spec must be finite");
  char digits[40];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  std::string out(std::begin(digits), end);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

/// A JSON object, member by member, in the order given.
class JsonObject {
 public:
  /// Adds a member whose value is already JSON.
  JsonObject& member(std::string_view key, std::string_view json) {
    if (!body_.empty()) body_ += ',';
    body_ += json_string(key);
    body_ += ':';
    body_ += json;
    return *this;
  }
  JsonObject& text(std::string_view key, std::string_view value) { return member(key, json_string(value)); }
  /// Adds a text unless it is empty: absent and empty mean the same in a spec.
  JsonObject& text_if(std::string_view key, std::string_view value) { return value.empty() ? *this : text(key, value); }
  JsonObject& array_if(std::string_view key, const std::vector<std::string>& items);
  std::string json() const { return '{' + body_ + '}'; }
  bool empty() const noexcept { return body_.empty(); }

 private:
  std::string body_;
};

inline std::string json_array(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ',';
    out += item;
  }
  return out += ']';
}

inline JsonObject& JsonObject::array_if(std::string_view key, const std::vector<std::string>& items) {
  return items.empty() ? *this : member(key, json_array(items));
}

/// A boolean, number or text as JSON; default-constructed: not given.
class Scalar {
 public:
  Scalar() = default;
  Scalar(const char* text) : json_(json_string(text)) {}                      // NOLINT(google-explicit-constructor)
  Scalar(std::string_view text) : json_(json_string(text)) {}                 // NOLINT(google-explicit-constructor)
  Scalar(const std::string& text) : json_(json_string(text)) {}               // NOLINT(google-explicit-constructor)
  Scalar(std::same_as<bool> auto value) : json_(value ? "true" : "false") {}  // NOLINT(google-explicit-constructor)
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Scalar(T value) : json_(std::to_string(value)) {  // NOLINT(google-explicit-constructor)
    if (!std::in_range<std::int64_t>(value)) throw std::invalid_argument(json_ + " does not fit a 64-bit integer");
  }
  Scalar(std::floating_point auto value)  // NOLINT(google-explicit-constructor)
      : json_(json_real(static_cast<double>(value))) {}

  bool given() const noexcept { return !json_.empty(); }
  const std::string& json() const noexcept { return json_; }

 private:
  std::string json_;
};

inline void add_if(JsonObject& object, std::string_view key, const Scalar& value) {
  if (value.given()) object.member(key, value.json());
}

template <class Range>
std::vector<std::string> to_json(const Range& items) {
  std::vector<std::string> out;
  for (const auto& item : items) out.push_back(item.json());
  return out;
}

}  // namespace kerntune::plugin::detail
#pragma GCC visibility pop
