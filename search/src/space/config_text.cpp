// SPDX-License-Identifier: Apache-2.0
#include "config_text.hpp"

#include <algorithm>
#include <charconv>

#include "expr/message.hpp"

namespace kerntune::search::detail {
namespace {

using expr::detail::quoted;

constexpr std::uint32_t kMissing = UINT32_MAX;
constexpr std::size_t kMaxListed = 32;

template <class Range, class Text>
std::string listed(const Range& range, Text&& text) {
  std::string out;
  std::size_t count = 0;
  for (const auto& item : range) {
    out += (count == 0 ? "" : ", ") + (count == kMaxListed ? std::string("...") : text(item));
    if (count++ == kMaxListed) {
      break;
    }
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\n\r"), text.size());
  const std::size_t last = text.find_last_not_of(" \t\n\r");
  return last == std::string_view::npos ? std::string_view() : text.substr(begin, last + 1 - begin);
}

/// Length of the first "name=value": up to a comma outside double quotes.
std::size_t entry_size(std::string_view text) {
  bool in_quotes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_quotes && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_quotes = !in_quotes;
    } else if (text[i] == ',' && !in_quotes) {
      return i;
    }
  }
  return text.size();
}

/// People also write 1 for 1.0, or True.
bool means(std::string_view text, const expr::Literal& literal) {
  if (expr::to_text(literal) == text) {
    return true;
  }
  if (const bool* const truth = std::get_if<bool>(&literal)) {
    return text == (*truth ? "True" : "False");
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() &&
         expr::equal(expr::Value(number), expr::Value(literal));
}

std::uint32_t find_value(const Param& param, std::string_view text) {
  const auto found =
      std::ranges::find_if(param.values, [text](const expr::Literal& literal) { return means(text, literal); });
  if (found == param.values.end()) {
    throw SpaceError("configuration: parameter " + quoted(param.name) + " has no value " + quoted(text) +
                     "; its values are " + listed(param.values, [](const auto& v) { return expr::to_text(v); }));
  }
  return static_cast<std::uint32_t>(found - param.values.begin());
}

std::size_t find_param(std::span<const Param> params, std::string_view name) {
  const auto found = std::ranges::find_if(params, [name](const Param& p) { return p.name == name; });
  if (found == params.end()) {
    throw SpaceError("configuration: unknown parameter " + quoted(name) + "; the parameters are " +
                     listed(params, [](const Param& p) { return p.name; }));
  }
  return static_cast<std::size_t>(found - params.begin());
}

void parse_entry(std::span<const Param> params, std::string_view entry, Config& config) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string_view::npos) {
    throw SpaceError("configuration: expected name=value, found " + quoted(trimmed(entry)));
  }
  const std::size_t param = find_param(params, trimmed(entry.substr(0, equals)));
  if (config[param] != kMissing) {
    throw SpaceError("configuration: parameter " + quoted(params[param].name) + " is given twice");
  }
  config[param] = find_value(params[param], trimmed(entry.substr(equals + 1)));
}

/// The value of a parameter that a text leaves out.
std::uint32_t left_out(const Param& param, std::size_t place, const Config* rest) {
  if (rest != nullptr) {
    return rest->at(place);
  }
  if (param.values.size() > 1) {
    throw SpaceError("configuration: parameter " + quoted(param.name) + " is missing; its values are " +
                     listed(param.values, [](const auto& v) { return expr::to_text(v); }));
  }
  return 0;
}

}  // namespace

std::string config_text(std::span<const Param> params, const Config& config) {
  std::string out;
  for (std::size_t p = 0; p < params.size(); ++p) {
    out += (p == 0 ? "" : ",") + params[p].name + "=" + expr::to_text(params[p].values.at(config.at(p)));
  }
  return out;
}

Config parse_config(std::span<const Param> params, std::string_view text, const Config* rest) {
  Config config(params.size(), kMissing);
  text = trimmed(text);
  while (!text.empty()) {
    const std::size_t size = entry_size(text);
    parse_entry(params, text.substr(0, size), config);
    text.remove_prefix(std::min(text.size(), size + 1));
  }
  for (std::size_t p = 0; p < params.size(); ++p) {
    if (config[p] == kMissing) {
      config[p] = left_out(params[p], p, rest);
    }
  }
  return config;
}

}  // namespace kerntune::search::detail
