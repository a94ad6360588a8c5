// SPDX-License-Identifier: Apache-2.0
// Random small spaces against the plain definition: try every combination, evaluate every constraint.
#include <kerntune/search/param_space.hpp>

#include <algorithm>
#include <map>

#include <gtest/gtest.h>
#include <kerntune/expr/expression.hpp>

#include "param_space_support.hpp"

namespace kerntune::search {
namespace {

class RandomDefinition {
 public:
  explicit RandomDefinition(std::uint64_t seed) : rng_(seed) {
    const std::uint64_t param_count = 1 + rng_.below(5);
    for (std::uint64_t p = 0; p < param_count; ++p) {
      params.push_back({"p" + std::to_string(p), values()});
    }
    const std::uint64_t constraint_count = rng_.below(4);
    for (std::uint64_t c = 0; c < constraint_count; ++c) {
      // Alone, most random conditions reject everything.
      constraints.push_back(name() + comparison() + value(0) + " or " + condition(1 + static_cast<int>(rng_.below(3))));
    }
  }

  std::vector<Param> params;
  std::vector<std::string> constraints;

 private:
  template <class... Choices>
  std::string any(Choices... choices) {
    const std::string all[] = {choices...};
    return all[rng_.below(sizeof...(choices))];
  }

  std::vector<expr::Literal> values() {
    const std::vector<std::vector<expr::Literal>> pools = {
        {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}, std::int64_t{16}},
        {std::int64_t{3}, std::int64_t{0}, std::int64_t{-2}, std::int64_t{5}},
        {0.5, std::int64_t{1}, 2.0, -1.5},
        {false, true},
        {std::string("a"), std::string("b"), std::int64_t{1}},
        {INT64_MAX, std::int64_t{1}, std::int64_t{2}},
    };
    std::vector<expr::Literal> chosen = pools[rng_.below(8) % pools.size()];
    chosen.resize(1 + rng_.below(chosen.size()));
    return chosen;
  }

  std::string name() { return "p" + std::to_string(rng_.below(params.size())); }

  std::string value(int depth) {
    if (depth == 0) {
      return rng_.below(3) > 0 ? name() : any("0", "1", "2", "7", "16", "0.5", "True", "'a'");
    }
    switch (rng_.below(10)) {
      case 0:
        return any("min", "max", "ceil_div", "round_up") + "(" + value(depth - 1) + ", " + value(depth - 1) + ")";
      case 1:
        return "(" + value(depth - 1) + " if " + condition(depth - 1) + " else " + value(depth - 1) + ")";
      case 2:
        return "(" + condition(depth - 1) + any(" or ", " and ") + value(depth - 1) + ")";
      case 3:
        return "-" + value(depth - 1);
      default:
        return "(" + value(depth - 1) + any(" + ", " - ", " * ", " / ", " // ", " % ", " ** ") + value(depth - 1) + ")";
    }
  }

  std::string comparison() { return any(" < ", " <= ", " > ", " >= ", " == ", " != "); }

  std::string condition(int depth) {
    if (depth == 0) {
      return value(0) + comparison() + value(0);
    }
    switch (rng_.below(7)) {
      case 0:
        return "(" + condition(depth - 1) + " and " + condition(depth - 1) + ")";
      case 1:
        return "(" + condition(depth - 1) + " or " + condition(depth - 1) + ")";
      case 2:
        return "not (" + condition(depth - 1) + any(" or ", " and ") + condition(depth - 1) + ")";
      case 3:
        return value(depth - 1) + comparison() + value(depth - 1) + comparison() + value(depth - 1);
      case 4:
        return value(depth - 1) + any(" in (", " not in (") + value(0) + ", " + value(depth - 1) + ", " + name() + ")";
      default:
        return value(depth - 1) + comparison() + value(depth - 1);
    }
  }

  Rng rng_;
};

/// Every combination and whether all constraints hold for it.
std::map<Config, bool> try_all(const RandomDefinition& definition) {
  expr::Symbols symbols;
  std::vector<expr::Expression> compiled;
  for (const Param& param : definition.params) {
    symbols.add(param.name);
  }
  for (const std::string& text : definition.constraints) {
    compiled.push_back(expr::Expression::compile(text, symbols));
  }
  std::map<Config, bool> all;
  const ParamSpace product = ParamSpace::build(definition.params, {});
  for (Count index = 0; index < product.count(); ++index) {
    const Config config = product.at(index);
    const auto values = product.values(config);
    all[config] = std::ranges::all_of(compiled, [&](const expr::Expression& constraint) {
      const expr::Evaluation result = constraint.evaluate(values);
      return result.ok() && result.value.truthy();
    });
  }
  return all;
}

void expect_same_members(const ParamSpace& space, const std::map<Config, bool>& all) {
  const auto valid = std::ranges::count_if(all, [](const auto& entry) { return entry.second; });
  ASSERT_EQ(to_string(space.count()), std::to_string(valid));
  for (Count index = 0; index < space.count(); ++index) {
    const Config config = space.at(index);
    ASSERT_TRUE(all.at(config)) << space.text(config);
    ASSERT_EQ(space.index_of(config), std::optional<Count>(index)) << space.text(config);
  }
  for (const auto& [config, holds] : all) {
    ASSERT_EQ(space.contains(config), holds) << space.text(config);
  }
}

std::vector<Config> plain_neighbours(const ParamSpace& space, const std::map<Config, bool>& all, const Config& config,
                                     ParamSpace::Neighbourhood kind) {
  std::vector<Config> out;
  for (std::size_t p = 0; p < config.size(); ++p) {
    for (std::uint32_t value = 0; value < space.params()[p].values.size(); ++value) {
      Config other = config;
      other[p] = value;
      const bool near = value + 1 == config[p] || value == config[p] + 1;
      if (value != config[p] && (near || kind == ParamSpace::Neighbourhood::hamming) && all.at(other)) {
        out.push_back(other);
      }
    }
  }
  return out;
}

void expect_same_neighbours(const ParamSpace& space, const std::map<Config, bool>& all) {
  int checked = 0;
  for (const auto& [config, holds] : all) {
    for (const auto kind : {ParamSpace::Neighbourhood::adjacent, ParamSpace::Neighbourhood::hamming}) {
      ASSERT_EQ(space.neighbours(config, kind), plain_neighbours(space, all, config, kind)) << space.text(config);
    }
    if (++checked == 40) {
      return;
    }
  }
}

std::string described(const RandomDefinition& definition) {
  std::string out;
  for (const Param& param : definition.params) {
    out += param.name + ":";
    for (const auto& value : param.values) {
      out += " " + expr::to_text(value);
    }
    out += "\n";
  }
  for (const std::string& constraint : definition.constraints) {
    out += constraint + "\n";
  }
  return out;
}

TEST(ParamSpaceProperties, EqualThePlainDefinition) {
  int interesting = 0;
  for (std::uint64_t seed = 0; seed < 2500; ++seed) {
    RandomDefinition definition(seed);
    SCOPED_TRACE(described(definition));
    std::map<Config, bool> all;
    ParamSpace space = ParamSpace::build({}, {});
    try {
      space = ParamSpace::build(definition.params, definition.constraints);
      all = try_all(definition);
    } catch (const SpaceError&) {
      continue;  // a constant part of a constraint fails, which is refused
    }
    expect_same_members(space, all);
    expect_same_neighbours(space, all);
    if (HasFatalFailure()) {
      return;
    }
    interesting += space.count() > 0 && space.count() < all.size() ? 1 : 0;
  }
  EXPECT_GT(interesting, 400);  // neither empty nor everything: the test means something
}

}  // namespace
}  // namespace kerntune::search
