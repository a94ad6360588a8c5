// SPDX-License-Identifier: Apache-2.0
#include <kerntune/search/param_space.hpp>

#include <algorithm>
#include <cmath>

#include <kerntune/expr/expression.hpp>

namespace kerntune::search {

struct ParamSpace::Tree {
  std::vector<Param> params;
  expr::Symbols symbols;
  std::vector<expr::Expression> constraints;
  std::vector<Config> valid;  // sorted
  EvaluationErrors errors;
};

std::string to_string(Count count) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(count % 10));
    count /= 10;
  } while (count != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

namespace {

std::string names_value(const std::vector<expr::Literal>& values) {
  std::string out;
  for (const auto& value : values) {
    out += (out.empty() ? "" : ", ") + expr::to_text(value);
  }
  return out;
}

}  // namespace

ParamSpace ParamSpace::build(std::vector<Param> params, const std::vector<std::string>& constraints) {
  auto tree = std::make_shared<Tree>();
  tree->params = std::move(params);
  for (const Param& param : tree->params) {
    try {
      tree->symbols.add(param.name);
    } catch (const expr::ExprError& error) {
      throw SpaceError("parameter: " + std::string(error.what()));
    }
    if (param.values.empty()) {
      throw SpaceError("parameter '" + param.name + "' has no values");
    }
    for (std::size_t i = 0; i < param.values.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (expr::equal(expr::Value(param.values[i]), expr::Value(param.values[j]))) {
          throw SpaceError("parameter '" + param.name + "' has the value " + expr::to_text(param.values[i]) + " twice");
        }
      }
    }
  }
  std::vector<std::vector<const expr::Expression*>> due(tree->params.size() + 1);
  for (const std::string& text : constraints) {
    try {
      tree->constraints.push_back(expr::Expression::compile(text, tree->symbols));
    } catch (const expr::ExprError& error) {
      throw SpaceError("constraint: " + std::string(error.what()));
    }
  }
  for (const auto& constraint : tree->constraints) {
    due[constraint.slots().empty() ? 0 : constraint.slots().back() + 1].push_back(&constraint);
  }
  std::vector<expr::Value> values(tree->params.size());
  const auto holds = [&](std::size_t bound) {
    for (const auto* constraint : due[bound]) {
      const auto result = constraint->evaluate(values);
      if (!result.ok() && tree->errors.count++ == 0) {
        tree->errors.first = constraint->explain(result, tree->symbols, values);
      }
      if (!result.ok() || !result.value.truthy()) {
        return false;
      }
    }
    return true;
  };
  Config config;
  const auto visit = [&](auto&& self) -> void {
    if (!holds(config.size())) {
      return;
    }
    if (config.size() == tree->params.size()) {
      tree->valid.push_back(config);
      return;
    }
    const Param& param = tree->params[config.size()];
    for (std::uint32_t v = 0; v < param.values.size(); ++v) {
      values[config.size()] = expr::Value(param.values[v]);
      config.push_back(v);
      self(self);
      config.pop_back();
    }
  };
  visit(visit);
  return ParamSpace(std::move(tree));
}

std::span<const Param> ParamSpace::params() const noexcept { return tree_->params; }
Count ParamSpace::count() const noexcept { return tree_->valid.size(); }

double ParamSpace::product() const noexcept {
  double product = 1;
  for (const Param& param : tree_->params) {
    product *= static_cast<double>(param.values.size());
  }
  return product;
}

Config ParamSpace::at(Count index) const { return tree_->valid.at(static_cast<std::size_t>(index)); }

std::optional<Count> ParamSpace::index_of(const Config& config) const {
  const auto found = std::lower_bound(tree_->valid.begin(), tree_->valid.end(), config);
  if (found == tree_->valid.end() || *found != config) {
    return std::nullopt;
  }
  return static_cast<Count>(found - tree_->valid.begin());
}

Config ParamSpace::sample(Rng& rng) const { return at(rng.below128(count())); }

std::vector<Config> ParamSpace::neighbours(const Config& config, Neighbourhood kind) const {
  std::vector<Config> out;
  for (std::size_t p = 0; p < config.size(); ++p) {
    for (std::uint32_t v = 0; v < params()[p].values.size(); ++v) {
      const bool adjacent = v + 1 == config[p] || v == config[p] + 1;
      Config other = config;
      other[p] = v;
      if (v != config[p] && (adjacent || kind == Neighbourhood::hamming) && contains(other)) {
        out.push_back(std::move(other));
      }
    }
  }
  return out;
}

std::vector<expr::Value> ParamSpace::values(const Config& config) const {
  std::vector<expr::Value> out;
  for (std::size_t p = 0; p < config.size(); ++p) {
    out.emplace_back(params()[p].values[config[p]]);
  }
  return out;
}

std::string ParamSpace::text(const Config& config) const {
  std::string out;
  for (std::size_t p = 0; p < config.size(); ++p) {
    out += (p == 0 ? "" : ",") + params()[p].name + "=" + expr::to_text(params()[p].values[config[p]]);
  }
  return out;
}

Config ParamSpace::parse(std::string_view text) const {
  Config config(params().size(), UINT32_MAX);
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::string_view name = part.substr(0, part.find('='));
    const auto slot = tree_->symbols.find(name);
    if (!slot || name.size() == part.size()) {
      throw SpaceError("unknown parameter in '" + std::string(part) + "'");
    }
    const std::string_view value = part.substr(name.size() + 1);
    const Param& param = params()[*slot];
    for (std::uint32_t v = 0; v < param.values.size(); ++v) {
      if (expr::to_text(param.values[v]) == value) {
        config[*slot] = v;
      }
    }
    if (config[*slot] == UINT32_MAX) {
      throw SpaceError("parameter '" + param.name + "' has no value " + std::string(value) + "; it may be " +
                       names_value(param.values));
    }
  }
  for (std::size_t p = 0; p < config.size(); ++p) {
    if (config[p] == UINT32_MAX && params()[p].values.size() > 1) {
      throw SpaceError("parameter '" + params()[p].name + "' is missing");
    }
    config[p] = config[p] == UINT32_MAX ? 0 : config[p];
  }
  return config;
}

const ParamSpace::EvaluationErrors& ParamSpace::evaluation_errors() const noexcept { return tree_->errors; }

std::size_t ParamSpace::memory_bytes() const noexcept {
  return tree_->valid.size() * (sizeof(Config) + 4 * tree_->params.size());
}

}  // namespace kerntune::search
