// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include <kerntune/core/report.hpp>

namespace kerntune::report {
namespace {

/// Reads a double-quoted text with \" and \\ escaped; leaves `rest` behind it.
std::string read_quoted(std::string_view& rest) {
  std::string text;
  rest.remove_prefix(1);
  while (!rest.empty() && rest.front() != '"') {
    if (rest.front() == '\\' && rest.size() > 1) rest.remove_prefix(1);
    text += rest.front();
    rest.remove_prefix(1);
  }
  if (!rest.empty()) rest.remove_prefix(1);
  return text;
}

template <typename Number>
bool read_whole(std::string_view word, Number& number) {
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && stop == word.data() + word.size();
}

expr::Literal bare_literal(std::string_view word) {
  if (word == "true") return true;
  if (word == "false") return false;
  std::int64_t integer = 0;
  if (read_whole(word, integer)) return integer;
  // "inf" and "nan" are words here: a parameter may be called that, and JSON has no such numbers.
  const bool numeric = !word.empty() && word.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
  double real = 0;
  if (numeric && read_whole(word, real)) return real;
  return std::string(word);
}

expr::Literal read_value(std::string_view& rest) {
  if (!rest.empty() && rest.front() == '"') return read_quoted(rest);
  const std::string_view word = rest.substr(0, rest.find(','));
  rest.remove_prefix(word.size());
  return bare_literal(word);
}

}  // namespace

std::vector<ConfigValue> parse_config_text(std::string_view text) {
  std::vector<ConfigValue> values;
  while (!text.empty()) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) break;
    std::string name(text.substr(0, equals));
    text.remove_prefix(equals + 1);
    values.push_back({std::move(name), read_value(text)});
    const std::size_t comma = text.find(',');
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return values;
}

std::vector<ConfigChange> changes_from(std::string_view config, std::string_view default_config) {
  const std::vector<ConfigValue> defaults = parse_config_text(default_config);
  std::vector<ConfigChange> changes;
  for (const ConfigValue& value : parse_config_text(config)) {
    const auto same_name = [&](const ConfigValue& other) { return other.name == value.name; };
    const auto found = std::find_if(defaults.begin(), defaults.end(), same_name);
    if (found != defaults.end() && found->value == value.value) continue;
    changes.push_back({value.name, expr::to_text(value.value),
                       found == defaults.end() ? std::string() : expr::to_text(found->value)});
  }
  return changes;
}

}  // namespace kerntune::report
