// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <kerntune/search/param_space.hpp>

#include "spec/python_values.hpp"
#include "spec/t1_file.hpp"

namespace kerntune {
namespace {

expr::Literal coerced(const expr::Literal& value, const std::string& type, const JsonCursor& place) {
  const expr::Value v(value);
  const bool is_text = v.kind() == expr::Value::Kind::string;
  if (type == "string") {
    if (!is_text) return expr::to_text(v);
  } else if (is_text) {
    place.fail(fmt::format("type '{}' and the value {}", type, expr::to_text(v)));
  } else if (type == "float") {
    return v.as_double();
  } else if (type == "bool") {
    return v.truthy();
  } else if ((type == "int" || type == "uint") && v.kind() == expr::Value::Kind::real) {
    if (v.real() != std::floor(v.real()) || std::fabs(v.real()) > 9e15)
      place.fail(fmt::format("type '{}' and the value {}", type, expr::to_text(v)));
    return static_cast<std::int64_t>(v.real());
  }
  return value;
}

std::vector<expr::Literal> read_values(const JsonCursor& values, const std::string& type) {
  std::vector<expr::Literal> read;
  if (values.is_array()) {
    for (const JsonCursor& element : values.elements()) read.push_back(element.literal());
  } else {
    try {
      read = python_values(values.text());
    } catch (const std::invalid_argument& error) {
      values.fail(error.what());
    }
  }
  if (read.empty()) values.fail("expected at least one value");
  for (expr::Literal& value : read) value = coerced(value, type, values);
  return read;
}

// The listed value that equals the declared default, if there is one. Some files give a list of one.
std::optional<expr::Literal> declared_default(const JsonCursor& param, const std::vector<expr::Literal>& values) {
  auto given = param.find("Default");
  if (given && given->is_array() && given->size() == 1) given = given->elements().front();
  if (!given || given->is_array() || given->is_object() || given->is_null()) return std::nullopt;
  const expr::Literal value = given->literal();
  const auto is_it = [&](const expr::Literal& v) { return expr::equal(expr::Value(v), expr::Value(value)); };
  const auto found = std::find_if(values.begin(), values.end(), is_it);
  return found == values.end() ? std::nullopt : std::optional(*found);
}

class DefaultRepair {
 public:
  DefaultRepair(const KernelSpec& spec, const search::ParamSpace& space) : space_(space) {
    for (const ParamSpec& param : spec.params) {
      const auto is_it = [&](const expr::Literal& v) {
        return expr::equal(expr::Value(v), expr::Value(param.default_value));
      };
      const auto found = std::find_if(param.values.begin(), param.values.end(), is_it);
      declared_.push_back(static_cast<std::uint32_t>(found - param.values.begin()));
    }
  }

  search::Config nearest() const {
    search::Config config = declared_;
    for (int changes = 0; changes <= 2; ++changes)
      if (change(config, 0, changes)) return config;
    return space_.at(0);
  }

 private:
  // Makes `config` valid by changing exactly `changes` parameters from `first` on; false leaves it as it was.
  bool change(search::Config& config, std::size_t first, int changes) const {
    if (changes == 0) return space_.contains(config);
    for (std::size_t p = first; p < config.size(); ++p) {
      for (std::uint32_t value = 0; value < space_.params()[p].values.size(); ++value) {
        if (value == declared_[p]) continue;
        config[p] = value;
        if (change(config, p + 1, changes - 1)) return true;
      }
      config[p] = declared_[p];
    }
    return false;
  }

  const search::ParamSpace& space_;
  search::Config declared_;
};

}  // namespace

std::vector<ParamSpec> read_t1_params(const JsonCursor& space) {
  std::vector<ParamSpec> params;
  for (const JsonCursor& given : space.at("TuningParameters").elements()) {
    ParamSpec param;
    param.name = given.at("Name").text();
    const auto type = given.find("Type");
    param.values = read_values(given.at("Values"), type ? type->text() : "");
    param.default_value = declared_default(given, param.values).value_or(param.values.front());
    params.push_back(std::move(param));
  }
  return params;
}

std::vector<ExprText> read_t1_conditions(const JsonCursor& space) {
  std::vector<ExprText> conditions;
  if (const auto given = space.find("Conditions"); given && !given->is_null())
    for (const JsonCursor& condition : given->elements()) conditions.push_back(condition.at("Expression").text());
  return conditions;
}

void repair_defaults(KernelSpec& spec) {
  std::vector<search::Param> params;
  for (const ParamSpec& param : spec.params) params.push_back({param.name, param.values});
  try {
    const auto space = search::ParamSpace::build(std::move(params), spec.constraints);
    if (space.empty()) return;
    const search::Config config = DefaultRepair(spec, space).nearest();
    for (std::size_t i = 0; i < config.size(); ++i) spec.params[i].default_value = spec.params[i].values[config[i]];
  } catch (const search::SpaceError&) {
    // The checks that follow name the parameter or condition.
  }
}

}  // namespace kerntune
