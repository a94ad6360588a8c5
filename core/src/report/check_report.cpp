// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/report.hpp>

#include "json_parts.hpp"
#include "text_table.hpp"

namespace kerntune::report {
namespace {

using Status = ConformanceCheck::Status;

Ink ink_of(Status status) { return status == Status::pass ? Ink::good : status == Status::fail ? Ink::bad : Ink::warn; }

std::string check_line(const ConformanceCheck& check, const Style& style) {
  std::string out = fmt::format("  {}  {}\n", inked(name_of(check.status), ink_of(check.status), style), check.name);
  // What was tried is of interest where it did not work out.
  if (check.status != Status::pass) out += wrapped(printable(check.message), 8, style);
  return out;
}

std::int64_t count(const ConformanceReport& report, Status status) {
  return std::count_if(report.checks.begin(), report.checks.end(),
                       [&](const ConformanceCheck& check) { return check.status == status; });
}

}  // namespace

std::string check_text(const ConformanceReport& report, const Style& style) {
  std::string out = inked(report.path, Ink::bold, style);
  if (!report.plugin_name.empty()) out += fmt::format("  plugin {} {}", report.plugin_name, report.plugin_version);
  out += '\n';
  const std::string* kernel = nullptr;
  for (const ConformanceCheck& check : report.checks) {
    if (kernel == nullptr || *kernel != check.kernel)
      out += check.kernel.empty() ? "the plugin\n" : fmt::format("kernel {}\n", check.kernel);
    kernel = &check.kernel;
    out += check_line(check, style);
  }
  const std::string_view verdict = report.passed() ? "conforms" : "does not conform";
  return out + fmt::format("{}: {} passed, {} failed, {} skipped\n",
                           inked(verdict, report.passed() ? Ink::good : Ink::bad, style), count(report, Status::pass),
                           count(report, Status::fail), count(report, Status::skip));
}

std::string check_json(const ConformanceReport& report) {
  Json json = {{"path", report.path}, {"passed", report.passed()}};
  json["plugin"] = {
      {"name", report.plugin_name}, {"version", report.plugin_version}, {"build_id", report.plugin_build_id}};
  json["checks"] = Json::array();
  for (const ConformanceCheck& check : report.checks)
    json["checks"].push_back({{"status", name_of(check.status)},
                              {"kernel", check.kernel.empty() ? Json(nullptr) : Json(check.kernel)},
                              {"name", check.name},
                              {"message", check.message}});
  return document(json);
}

}  // namespace kerntune::report
