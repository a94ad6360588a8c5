// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/report.hpp>

#include "counters/bottleneck.hpp"
#include "counters_parts.hpp"
#include "describe.hpp"
#include "json_parts.hpp"
#include "text_table.hpp"

namespace kerntune::report {
namespace {

std::string value_text(const Reading& reading) {
  if (reading.status != Reading::Status::ok) return std::string(name_of(reading.status));
  const double value = reading.value;
  if (value == static_cast<double>(static_cast<std::int64_t>(value)) && value < 1e15)
    return grouped(static_cast<std::int64_t>(value));
  return fmt::format("{:.4g}", value);
}

/// A row per metric, a column per configuration.
std::string readings_table(const ProfileReport& report, const Style& style) {
  TextTable table;
  table.column("metric");
  std::vector<const ProfileReport::Entry*> shown;
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    if (report.entries[i].counters.empty()) continue;
    shown.push_back(&report.entries[i]);
    table.column(report.entries.size() == 1 ? "value" : fmt::format("[{}]", i + 1), Align::right);
  }
  table.column("unit");
  if (shown.empty()) return {};
  const std::vector<Reading>& first = shown.front()->counters.readings;
  for (std::size_t r = 0; r < first.size(); ++r) {
    std::vector<TextTable::Cell> row{{first[r].metric}};
    for (const ProfileReport::Entry* entry : shown) row.push_back({value_text(entry->counters.readings[r])});
    row.push_back({first[r].unit, Ink::dim});
    table.row(std::move(row));
  }
  return table.text(2, style);
}

std::string entry_text(const ProfileReport& report, const ProfileReport::Entry& entry, std::size_t number,
                       const Style& style) {
  const std::string name = report.entries.size() == 1 ? "config" : fmt::format("[{}]", number);
  std::string out;
  add_line(out, name, entry.config, style);
  if (entry.rejection) {
    add_line(out, "failed",
             fmt::format("{}: {}", name_of(entry.rejection->reason), first_line(entry.rejection->message)), style);
    return out;
  }
  const Roofline roof = roofline(entry.time_ns, report.flop, report.bytes, report.device);
  std::string time = inked(time_text(entry.time_ns, style), Ink::bold, style);
  if (achieved_text(roof) != "-") time += fmt::format(" ({}, {})", achieved_text(roof), limit_text(roof));
  add_line(out, "time", time, style);
  const CounterFeatures features = features_of(entry.counters, entry.facts, report.device, entry.time_ns);
  const char* heading = "limits";
  for (const std::string& line : limits_text(features, entry.facts)) {
    add_line(out, heading, line, style);
    heading = "";
  }
  return out;
}

Explained explained(const ProfileReport::Entry& entry) {
  return {entry.config, entry.counters, entry.facts, entry.time_ns};
}

/// What differs between the fastest and each other one.
std::string changes(const ProfileReport& report, const Style& style) {
  const ProfileReport::Entry* best = nullptr;
  for (const ProfileReport::Entry& entry : report.entries)
    if (!entry.counters.empty() && (best == nullptr || entry.time_ns < best->time_ns)) best = &entry;
  std::string out;
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const ProfileReport::Entry& entry = report.entries[i];
    if (&entry == best || entry.counters.empty()) continue;
    const char* heading = "changes";
    const std::string from = fmt::format("from [{}] to [{}]: ", i + 1, best - report.entries.data() + 1);
    for (const std::string& line : changes_text(explained(*best), explained(entry), report.device)) {
      add_line(out, heading, from + line, style);
      heading = "";
    }
  }
  return out;
}

}  // namespace

std::string profile_text(const ProfileReport& report, const Style& style) {
  std::string out =
      fmt::format("{} on {} ({})\n", inked(report.kernel, Ink::bold, style), report.device.name, report.device.id);
  std::string sizes;
  for (const auto& [name, value] : report.dims) sizes += fmt::format("{}{}={}", sizes.empty() ? "" : ", ", name, value);
  add_line(out, "sizes", sizes, style);
  for (std::size_t i = 0; i < report.entries.size(); ++i) out += entry_text(report, report.entries[i], i + 1, style);
  if (!report.access.usable()) {
    add_line(out, "counters", inked("none", Ink::warn, style), style);
    return out + wrapped(sentence_of(report.access), 14, style);
  }
  out += changes(report, style);
  const Counters* counters = nullptr;
  for (const ProfileReport::Entry& entry : report.entries)
    if (!entry.counters.empty()) counters = &entry.counters;
  if (counters == nullptr) return out;
  add_line(out, "counters",
           fmt::format("set {}, {} {}, {}, CUPTI {}; taken in {}", counters->set, counters->passes,
                       counters->passes == 1 ? "pass" : "passes", counters->chip, counters->cupti,
                       time_text(static_cast<double>(report.profile_us) * 1e3, style)),
           style);
  return out + readings_table(report, style);
}

std::string profile_json(const ProfileReport& report) {
  Json json = {{"kernel", report.kernel}, {"device", report.device.id}, {"device_key", report.device.device_class}};
  json["dims"] = dims_json(report.dims);
  json["policy"] = report.policy;
  json["access"] = access_json(report.access);
  json["profile_us"] = report.profile_us;
  json["entries"] = Json::array();
  for (const ProfileReport::Entry& entry : report.entries) {
    Json one = {{"config", config_json(entry.config)}, {"text", entry.config}};
    one["rejection"] = entry.rejection
                           ? Json{{"reason", name_of(entry.rejection->reason)}, {"message", entry.rejection->message}}
                           : Json(nullptr);
    one["time_ns"] = number_or_null(entry.time_ns);
    one["facts"] = facts_json(entry.facts);
    one["roofline"] = roofline_json(roofline(entry.time_ns, report.flop, report.bytes, report.device));
    one["counters"] = counters_json(entry.counters);
    one["explanation"] = explanation_json(entry.counters, entry.facts, report.device, entry.time_ns);
    json["entries"].push_back(std::move(one));
  }
  return document(json);
}

}  // namespace kerntune::report
