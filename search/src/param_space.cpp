// SPDX-License-Identifier: Apache-2.0
#include <kerntune/search/param_space.hpp>

#include <algorithm>

#include <kerntune/expr/expression.hpp>

#include "space/config_text.hpp"
#include "space/definition.hpp"
#include "space/diagram.hpp"

namespace kerntune::search {

using detail::Diagram;

struct ParamSpace::Tree {
  std::vector<Param> params;
  Diagram diagram;
  EvaluationErrors errors;
};

std::string to_string(Count count) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(count % 10));
    count /= 10;
  } while (count != 0);
  std::ranges::reverse(digits);
  return digits;
}

ParamSpace ParamSpace::build(std::vector<Param> params, const std::vector<std::string>& constraints) {
  auto tree = std::make_shared<Tree>();
  tree->params = std::move(params);
  const expr::Symbols symbols = detail::check_params(tree->params);
  const std::vector<expr::Expression> compiled = detail::compile_constraints(constraints, symbols);
  tree->diagram = detail::build_diagram(tree->params, symbols, compiled, tree->errors);
  return ParamSpace(std::move(tree));
}

std::span<const Param> ParamSpace::params() const noexcept { return tree_->params; }
Count ParamSpace::count() const noexcept { return tree_->diagram.count; }
const ParamSpace::EvaluationErrors& ParamSpace::evaluation_errors() const noexcept { return tree_->errors; }
std::size_t ParamSpace::memory_bytes() const noexcept { return tree_->diagram.memory_bytes(); }

double ParamSpace::product() const noexcept {
  double product = 1;
  for (const Param& param : tree_->params) {
    product *= static_cast<double>(param.values.size());
  }
  return product;
}

Config ParamSpace::at(Count index) const {
  const Diagram& diagram = tree_->diagram;
  if (index >= diagram.count) {
    throw std::out_of_range("configuration " + to_string(index) + " of a space of " + to_string(diagram.count));
  }
  Config config(tree_->params.size());
  std::uint32_t node = 0;
  for (std::size_t level = 0; level < diagram.layers.size(); ++level) {
    const auto edges = diagram.layers[level].edges_of(node);
    auto edge = edges.begin();
    for (Count below = 0; index >= (below = diagram.count_below(level + 1, edge->child)); ++edge) {
      index -= below;
    }
    config[diagram.layers[level].param] = edge->value;
    node = edge->child;
  }
  return config;
}

std::optional<Count> ParamSpace::index_of(const Config& config) const {
  const Diagram& diagram = tree_->diagram;
  if (config.size() != tree_->params.size() || diagram.count == 0) {
    return std::nullopt;
  }
  Count index = 0;
  std::uint32_t node = 0;
  for (std::size_t level = 0; level < diagram.layers.size(); ++level) {
    const Diagram::Layer& layer = diagram.layers[level];
    const Diagram::Edge* const taken = layer.find(node, config[layer.param]);
    if (taken == nullptr) {
      return std::nullopt;
    }
    for (const Diagram::Edge* edge = layer.edges_of(node).data(); edge != taken; ++edge) {
      index += diagram.count_below(level + 1, edge->child);
    }
    node = taken->child;
  }
  return index;
}

Config ParamSpace::sample(Rng& rng) const { return at(rng.below128(count())); }

std::vector<Config> ParamSpace::neighbours(const Config& config, Neighbourhood kind) const {
  const Diagram& diagram = tree_->diagram;
  std::vector<Config> out;
  if (config.size() != tree_->params.size() || diagram.count == 0) {
    return out;
  }
  const std::vector<std::uint32_t> path = diagram.walk(0, 0, config);
  for (std::uint32_t param = 0; param < config.size(); ++param) {
    const std::size_t level = diagram.layer_of[param];
    if (level >= path.size()) {
      continue;  // something before it is invalid already
    }
    for (const Diagram::Edge& edge : diagram.layers[level].edges_of(path[level])) {
      const bool adjacent = edge.value + 1 == config[param] || edge.value == config[param] + 1;
      const bool wanted = edge.value != config[param] && (adjacent || kind == Neighbourhood::hamming);
      if (wanted && diagram.reaches_end(level + 1, edge.child, config)) {
        out.push_back(config);
        out.back()[param] = edge.value;
      }
    }
  }
  return out;
}

std::vector<expr::Value> ParamSpace::values(const Config& config) const {
  std::vector<expr::Value> out;
  for (std::size_t p = 0; p < tree_->params.size(); ++p) {
    out.emplace_back(tree_->params[p].values.at(config.at(p)));
  }
  return out;
}

std::string ParamSpace::text(const Config& config) const { return detail::config_text(tree_->params, config); }
Config ParamSpace::parse(std::string_view text) const { return detail::parse_config(tree_->params, text); }
Config ParamSpace::parse(std::string_view text, const Config& rest) const {
  return detail::parse_config(tree_->params, text, &rest);
}

}  // namespace kerntune::search
