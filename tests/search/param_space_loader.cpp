// SPDX-License-Identifier: Apache-2.0
#include "param_space_loader.hpp"

#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace kerntune::search {
namespace {

using Json = nlohmann::ordered_json;

expr::Literal literal_of(const Json& value) {
  if (value.is_boolean()) {
    return value.get<bool>();
  }
  if (value.is_number_integer()) {
    return value.get<std::int64_t>();
  }
  if (value.is_number()) {
    return value.get<double>();
  }
  return value.get<std::string>();
}

}  // namespace

SpaceDefinition load_space_definition(const std::string& name) {
  const std::string path = KERNTUNE_TEST_DATA "/spaces/" + name + ".json";
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("cannot read " + path);
  }
  const Json json = Json::parse(file);
  SpaceDefinition definition;
  for (const auto& [param, values] : json.at("params").items()) {
    definition.params.push_back({param, {}});
    for (const Json& value : values) {
      definition.params.back().values.push_back(literal_of(value));
    }
  }
  definition.constraints = json.at("constraints").get<std::vector<std::string>>();
  return definition;
}

}  // namespace kerntune::search
