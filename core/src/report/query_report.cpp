// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include <kerntune/core/report.hpp>

#include "text_table.hpp"

namespace kerntune::report {
namespace {

std::string bound_text(const QueryAnswer& answer) {
  if (!(answer.bound > 0)) return "none is known";
  return fmt::format("at most {:.3f} times slower than the best possible", answer.bound);
}

std::string keys_text(const QueryAnswer& answer) {
  std::set<std::string> keys;
  for (const storage::FinalRecord& record : answer.finals) keys.insert(record.device_class);
  if (keys.empty()) return {};
  std::string out =
      fmt::format("\n  {} has results of '{}' for these device keys (--device-key):\n", answer.store, answer.kernel);
  for (const std::string& key : keys) out += fmt::format("    {}\n", key);
  return out;
}

TextTable tuned_table(const QueryAnswer& answer, const Style& style) {
  TextTable table;
  table.column("batch", Align::right);
  table.column("time", Align::right);
  table.column("other sizes");
  table.column("device key");
  table.column("policy");
  table.column("configuration");
  for (const storage::FinalRecord& record : answer.finals)
    table.row({{fmt::format("{}", record.batch)},
               {time_text(record.time_ns, style)},
               {record.other_dims},
               {record.device_class},
               {record.policy},
               {record.config}});
  return table;
}

}  // namespace

std::string query_text(const QueryAnswer& answer, bool explain, const Style& style) {
  std::string out = fmt::format(
      "{}\n", answer.config.empty() ? "(no configuration is known)" : inked(answer.config, Ink::bold, style));
  const Ink ink = answer.found == "default" ? Ink::warn : answer.found == "extrapolated" ? Ink::warn : Ink::good;
  add_line(out, "found", inked(answer.found, ink, style), style);
  add_line(out, "because", answer.reason, style);
  if (answer.tuned_batch > 0) add_line(out, "tuned at", fmt::format("batch {}", answer.tuned_batch), style);
  if (answer.time_ns > 0) add_line(out, "time", time_text(answer.time_ns, style), style);
  if (answer.found != "default") add_line(out, "bound", bound_text(answer), style);
  for (const auto& [name, value] : answer.assumed_dims)
    add_line(out, "size", fmt::format("{}={}, not given: the file has no other", name, value), style);
  if (explain) {
    add_line(out, "asked",
             fmt::format("kernel {}, batch {}, other sizes {}", answer.kernel, answer.batch,
                         answer.other_dims.empty() ? "none" : answer.other_dims),
             style);
    add_line(out, "device key", answer.device_key.empty() ? "none given" : answer.device_key, style);
    add_line(out, "policy",
             answer.policy.empty() ? "none given: the file's only one, else the usual one" : answer.policy, style);
    out += "\n  what the file holds for this kernel\n";
    out += answer.finals.empty() ? "    nothing\n" : tuned_table(answer, style).text(4, style);
  }
  if (answer.device_key.empty()) out += keys_text(answer);
  return out;
}

}  // namespace kerntune::report
