// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/report.hpp>

#include "describe.hpp"
#include "json_parts.hpp"
#include "text_table.hpp"

namespace kerntune::report {
namespace {

bool is_one_tie_set(const Comparison& comparison) {
  return std::all_of(comparison.entries.begin(), comparison.entries.end(),
                     [](const Comparison::Entry& e) { return !e.rejection && e.standing.tie; });
}

Json entry_json(const Comparison::Entry& entry) {
  const bool ok = !entry.rejection;
  Json json = {{"config", config_json(entry.config)}, {"text", entry.config}, {"ok", ok}};
  json["rejection"] =
      ok ? Json(nullptr) : Json{{"reason", name_of(entry.rejection->reason)}, {"message", entry.rejection->message}};
  json["time_ns"] = ok ? number_or_null(entry.standing.time_ns) : Json(nullptr);
  json["ratio"] = ok ? Json(entry.standing.ratio) : Json(nullptr);
  json["ratio_low"] = ok ? Json(entry.standing.ratio_low) : Json(nullptr);
  json["ratio_high"] = ok ? Json(entry.standing.ratio_high) : Json(nullptr);
  json["tie"] = ok && entry.standing.tie;
  json["verified"] = ok ? Json(entry.standing.verified) : Json(nullptr);
  json["facts"] = facts_json(entry.standing.facts);
  json["rounds_ns"] = entry.standing.rounds_ns;
  return json;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const Style& style) {
  std::string out = fmt::format("{} on {}: {} paired rounds{}\n\n", inked(comparison.kernel, Ink::bold, style),
                                comparison.device.name, comparison.rounds,
                                comparison.exhausted    ? ", samples exhausted"
                                : comparison.unresolved ? ", still unresolved"
                                                        : "");
  TextTable table;
  for (const char* heading : {"time", "against the fastest", "interval", ""}) table.column(heading, Align::right);
  table.column("configuration", Align::left);
  for (const Comparison::Entry& entry : comparison.entries) {
    if (entry.rejection) {
      table.row({{"failed", Ink::bad}, {std::string(name_of(entry.rejection->reason))}, {""}, {""}, {entry.config}});
      continue;
    }
    const Finalist& s = entry.standing;
    table.row({{time_text(s.time_ns, style)},
               {fmt::format("{:.4f}", s.ratio)},
               {fmt::format("{:.4f} to {:.4f}", s.ratio_low, s.ratio_high)},
               {s.tie ? "tie" : "slower", s.tie ? Ink::plain : Ink::dim},
               {entry.config}});
  }
  out += table.text(2, style);
  if (!comparison.note.empty()) out += '\n' + comparison.note + '\n';
  return out;
}

std::string comparison_json(const Comparison& comparison) {
  Json json = {{"kernel", comparison.kernel},
               {"device", comparison.device.id},
               {"device_key", comparison.device.device_class},
               {"policy", comparison.policy}};
  json["dims"] = dims_json(comparison.dims);
  json["rounds"] = comparison.rounds;
  json["runs_per_sample"] = comparison.runs_per_sample;
  json["unresolved"] = comparison.unresolved;
  json["exhausted"] = comparison.exhausted;
  json["leader"] = comparison.leader.empty() ? Json(nullptr) : config_json(comparison.leader);
  json["one_tie_set"] = is_one_tie_set(comparison);
  json["entries"] = Json::array();
  for (const Comparison::Entry& entry : comparison.entries) json["entries"].push_back(entry_json(entry));
  json["note"] = comparison.note;
  return document(json);
}

}  // namespace kerntune::report
