// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/report.hpp>

#include "json_parts.hpp"
#include "spaces.hpp"
#include "text_table.hpp"

namespace kerntune::report {
namespace {

std::string errors_text(const search::ParamSpace::EvaluationErrors& errors, const Style& style) {
  if (errors.count == 0) return {};
  return wrapped(fmt::format("{} combinations were left out because a constraint could not be evaluated, first: {}",
                             grouped(static_cast<std::int64_t>(errors.count)), first_line(errors.first)),
                 2, style);
}

}  // namespace

std::string space_text(const SpaceListing& listing, const Style& style) {
  if (!listing.configurations.empty()) {
    std::string out;
    for (const SpaceListing::Item& item : listing.configurations)
      out += fmt::format("{}  {}\n", item.index, item.config);
    return out;
  }
  std::string out = kernels_text({.kernels = {listing.kernel}, .problems = {}}, style);
  for (const ExprText& constraint : listing.kernel.spec.constraints)
    out += fmt::format("  {}  {}\n", inked("require ", Ink::dim, style), constraint);
  return out + errors_text(space_of(listing.kernel.spec).evaluation_errors(), style);
}

std::string space_json(const SpaceListing& listing) {
  const KernelSpec& spec = listing.kernel.spec;
  const search::ParamSpace space = space_of(spec);
  Json json = {{"kernel", spec.name}, {"count", count_json(space.count())}, {"product", space.product()}};
  json["params"] = Json::array();
  for (const ParamSpec& param : spec.params) json["params"].push_back(param_json(param));
  json["constraints"] = spec.constraints;
  json["evaluation_errors"] = {{"count", space.evaluation_errors().count}, {"first", space.evaluation_errors().first}};
  json["configurations"] = Json::array();
  for (const SpaceListing::Item& item : listing.configurations)
    json["configurations"].push_back({{"index", index_json(item.index)}, {"config", config_json(item.config)}});
  json["origin"] = listing.kernel.origin;
  return document(json);
}

}  // namespace kerntune::report
