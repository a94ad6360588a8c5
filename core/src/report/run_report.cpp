// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/report.hpp>

#include "analysis.hpp"
#include "describe.hpp"
#include "json_parts.hpp"
#include "text_table.hpp"

namespace kerntune::report {
namespace {

Samples sorted(Samples samples) {
  std::sort(samples.begin(), samples.end());
  return samples;
}

std::string spread_text(const RunResult& result, const Style& style) {
  if (result.samples_ns.empty()) return {};
  const Samples samples = sorted(result.samples_ns);
  return fmt::format("{} launches: {} to {}, middle half {} to {}", samples.size(), time_text(samples.front(), style),
                     time_text(samples.back(), style), time_text(quantile(samples, 0.25), style),
                     time_text(quantile(samples, 0.75), style));
}

std::string proof_text(const RunResult& result) {
  if (result.verified.empty()) return {};
  const Verification& v = result.verification;
  if ((result.verified != "reference" && result.verified != "against_default") || v.runs == 0) return result.verified;
  return fmt::format("{}: {}, {} elements compared in {} runs", result.verified, precision_text(v),
                     grouped(static_cast<std::int64_t>(v.elements)), v.runs);
}

std::string worst_text(const RunResult& result) {
  const Verification::Worst& worst = result.verification.worst;
  if (worst.buffer.empty() || result.rejection) return {};
  return fmt::format("{}[{}]: got {:.9g}, expected {:.9g}{}", worst.buffer, worst.index, worst.got, worst.expected,
                     worst.size.empty() ? std::string() : fmt::format(" (at {})", worst.size));
}

std::string facts_text(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::string sizes_text(const Dims& dims) {
  std::string text;
  for (const auto& [name, value] : dims) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  return text;
}

}  // namespace

std::string run_text(const RunResult& result, const Style& style) {
  std::string out =
      fmt::format("{} on {} ({})\n", inked(result.kernel, Ink::bold, style), result.device.name, result.device.id);
  add_line(out, "sizes", sizes_text(result.dims), style);
  add_line(out, "config", result.config, style);
  if (result.rejection) {
    out += fmt::format("  {}  {}\n", inked(fmt::format("{:<10}", "failed"), Ink::bad, style),
                       name_of(result.rejection->reason));
    return out + wrapped(first_line(result.rejection->message), 14, style);
  }
  add_line(out, "time", inked(time_text(result.median_ns, style), Ink::bold, style) + " (median)", style);
  add_line(out, "samples", spread_text(result, style), style);
  const Roofline roof = roofline(result.median_ns, result.flop, result.bytes, result.device);
  if (achieved_text(roof) != "-")
    add_line(out, "achieved", fmt::format("{}, {}", achieved_text(roof), limit_text(roof)), style);
  add_line(out, "verified", proof_text(result), style);
  add_line(out, "worst", worst_text(result), style);
  add_line(out, "facts", facts_text(result.facts), style);
  return out;
}

std::string run_json(const RunResult& result) {
  Json json = {{"kernel", result.kernel}, {"device", result.device.id}, {"device_key", result.device.device_class}};
  json["dims"] = dims_json(result.dims);
  json["config"] = config_json(result.config);
  json["ok"] = !result.rejection.has_value();
  json["rejection"] = result.rejection
                          ? Json{{"reason", name_of(result.rejection->reason)}, {"message", result.rejection->message}}
                          : Json(nullptr);
  json["time_ns"] = number_or_null(result.median_ns);
  json["samples_ns"] = result.samples_ns;
  json["sample_flags"] = result.sample_flags;
  json["clock_mhz"] = number_or_null(result.clock_mhz);
  json["verified"] = result.rejection ? Json(nullptr) : Json(result.verified);
  json["verification"] = verification_json(result.verification);
  json["facts"] = facts_json(result.facts);
  json["flop"] = optional_number(result.flop);
  json["bytes"] = optional_number(result.bytes);
  json["roofline"] = roofline_json(roofline(result.median_ns, result.flop, result.bytes, result.device));
  return document(json);
}

}  // namespace kerntune::report
