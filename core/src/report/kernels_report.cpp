// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kerntune/core/report.hpp>

#include "spaces.hpp"
#include "text_table.hpp"

namespace kerntune::report {
namespace {

std::string dim_text(const Dim& dim) {
  const std::string range = dim.batch ? fmt::format(" [{}..{}]", dim.min, dim.max) : std::string();
  return fmt::format("{}={}{}{}", dim.name, dim.default_value, range, dim.batch ? " (batch)" : "");
}

std::string param_text(const ParamSpec& param) {
  std::vector<std::string> values;
  for (const expr::Literal& value : param.values) {
    const std::string text = expr::to_text(value);
    values.push_back(value == param.default_value ? fmt::format("[{}]", text) : text);
  }
  if (values.size() > 12) {  // long lists say nothing more than their ends
    const std::size_t count = values.size();
    values = {values[0], values[1], values[2], "..", values[count - 2], values[count - 1]};
    values.push_back(fmt::format("({} values)", count));
  }
  return fmt::format("{}: {}", param.name, fmt::join(values, " "));
}

void add_lines(std::string& out, std::string_view heading, const std::vector<std::string>& lines, const Style& style) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string label = fmt::format("{:<8}", i == 0 ? heading : "");
    out += fmt::format("  {}  {}\n", inked(label, Ink::dim, style),
                       clipped(lines[i], static_cast<std::size_t>(std::max(style.width - 12, 40)), style));
  }
}

std::string origin_text(const KernelEntry& entry) {
  if (!entry.from_plugin) return entry.origin;
  return fmt::format("{} (plugin {} {})", entry.origin, entry.plugin_name, entry.plugin_version);
}

std::string kernel_text(const KernelEntry& entry, const Style& style) {
  const KernelSpec& spec = entry.spec;
  std::string out = inked(spec.name, Ink::bold, style);
  if (!spec.summary.empty()) out += "  " + first_line(spec.summary);
  out += '\n';
  std::vector<std::string> dims, params;
  for (const Dim& dim : spec.dims) dims.push_back(dim_text(dim));
  for (const ParamSpec& param : spec.params) params.push_back(param_text(param));
  add_lines(out, "sizes", {fmt::format("{}", fmt::join(dims, ", "))}, style);
  add_lines(out, "params", params, style);
  const search::ParamSpace space = space_of(spec);
  const std::string product = fmt::format("{:.0f}", space.product());
  const std::string count = grouped(search::to_string(space.count()));
  add_lines(out, "space", {fmt::format("{} valid configurations of {} combinations", count, grouped(product))}, style);
  add_lines(out, "from", {origin_text(entry)}, style);
  return out;
}

}  // namespace

std::string kernels_text(const Catalogue& catalogue, const Style& style) {
  std::string out;
  for (const KernelEntry& entry : catalogue.kernels) out += (out.empty() ? "" : "\n") + kernel_text(entry, style);
  if (catalogue.kernels.empty()) out += "no kernels were found\n";
  if (!catalogue.problems.empty()) out += fmt::format("\n{}\n", inked("could not be used", Ink::bad, style));
  for (const CatalogueProblem& problem : catalogue.problems)
    out += wrapped(printable(fmt::format("{}: {}", problem.path, problem.message)), 2, style);
  return out;
}

}  // namespace kerntune::report
