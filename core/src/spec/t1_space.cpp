// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <kerntune/expr/expression.hpp>
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

// Values up to which pairs of changed parameters are tried; a quadratic number of them.
constexpr std::size_t kMostValuesForPairs = 2000;

class DefaultRepair {
 public:
  /// Errors: expr::ExprError if a name or constraint is wrong.
  explicit DefaultRepair(const KernelSpec& spec) : spec_(spec) {
    for (const ParamSpec& param : spec.params) {
      symbols_.add(param.name);
      values_.emplace_back(param.default_value);
      value_count_ += param.values.size();
    }
    for (const ExprText& constraint : spec.constraints)
      constraints_.push_back(expr::Expression::compile(constraint, symbols_));
  }

  /// The valid values with the fewest changes, up to two; nothing if there are none.
  std::optional<std::vector<expr::Value>> nearest() {
    const int most_changes = value_count_ <= kMostValuesForPairs ? 2 : 1;
    for (int changes = 0; changes <= most_changes; ++changes)
      if (change(0, changes)) return values_;
    return std::nullopt;
  }

 private:
  bool is_valid() const {
    return std::all_of(constraints_.begin(), constraints_.end(), [&](const expr::Expression& constraint) {
      const expr::Evaluation result = constraint.evaluate(values_);
      return result.ok() && result.value.truthy();
    });
  }

  // Makes the values valid by changing exactly `changes` parameters from `first` on; false leaves them as they were.
  bool change(std::size_t first, int changes) {
    if (changes == 0) return is_valid();
    for (std::size_t p = first; p < values_.size(); ++p) {
      const expr::Value declared = values_[p];
      for (const expr::Literal& value : spec_.params[p].values) {
        values_[p] = expr::Value(value);
        if (!expr::equal(values_[p], declared) && change(p + 1, changes - 1)) return true;
      }
      values_[p] = declared;
    }
    return false;
  }

  const KernelSpec& spec_;
  expr::Symbols symbols_;
  std::vector<expr::Expression> constraints_;
  std::vector<expr::Value> values_;
  std::size_t value_count_ = 0;
};

// The first configuration of the space; nothing if it is empty.
std::optional<std::vector<expr::Literal>> first_valid(const KernelSpec& spec) {
  std::vector<search::Param> params;
  for (const ParamSpec& param : spec.params) params.push_back({param.name, param.values});
  const auto space = search::ParamSpace::build(std::move(params), spec.constraints);
  if (space.empty()) return std::nullopt;
  std::vector<expr::Literal> values;
  for (const expr::Value& value : space.values(space.at(0))) values.push_back(expr::to_literal(value));
  return values;
}

std::optional<std::vector<expr::Literal>> valid_defaults(const KernelSpec& spec) {
  const auto nearest = DefaultRepair(spec).nearest();
  if (!nearest) return first_valid(spec);
  std::vector<expr::Literal> values;
  for (const expr::Value& value : *nearest) values.push_back(expr::to_literal(value));
  return values;
}

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
  try {
    const auto values = valid_defaults(spec);
    for (std::size_t i = 0; values && i < spec.params.size(); ++i) spec.params[i].default_value = (*values)[i];
  } catch (const expr::ExprError&) {
    // The checks that follow name the parameter or condition.
  } catch (const search::SpaceError&) {
  }
}

}  // namespace kerntune
