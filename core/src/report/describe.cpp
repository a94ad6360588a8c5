// SPDX-License-Identifier: Apache-2.0
#include "describe.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workers/wire.hpp"

namespace kerntune::report {
namespace {

std::string batch_dim_name(const KernelSpec& spec) {
  for (const Dim& dim : spec.dims)
    if (dim.batch) return dim.name;
  return {};
}

}  // namespace

std::string speedup_text(const BatchResult& batch, const Style& style) {
  if (!(batch.speedup > 0)) return "-";
  const std::string_view times = style.utf8 ? "×" : "x";
  const std::string_view dash = style.utf8 ? "–" : "-";
  if (!(batch.speedup_low > 0)) return fmt::format("{:.3f}{}", batch.speedup, times);
  return fmt::format("{:.3f}{} ({:.3f}{}{:.3f})", batch.speedup, times, batch.speedup_low, dash, batch.speedup_high);
}

std::string achieved_text(const Roofline& r) {
  const bool by_bytes = r.limit == Roofline::Limit::memory || (r.limit == Roofline::Limit::unknown && !r.flop_per_s);
  if (by_bytes) return r.bytes_per_s ? rate_text(*r.bytes_per_s, "B/s") : "-";
  return r.flop_per_s ? rate_text(*r.flop_per_s, "FLOP/s") : "-";
}

std::string limit_text(const Roofline& r) {
  if (!r.flop_per_s && !r.bytes_per_s) return "-";
  if (r.limit == Roofline::Limit::unknown) return "limit unknown";
  const std::string_view name = r.limit == Roofline::Limit::compute ? "f32 peak" : "bandwidth";
  return fmt::format("{:.{}f} % of {}", r.fraction * 100, r.fraction < 0.1 ? 1 : 0, name);
}

Roofline roofline_of_best(const BatchResult& batch, const DeviceInfo& device) {
  return roofline(batch.best ? batch.best->time_ns : 0, batch.flop, batch.bytes, device);
}

std::string other_dims_text(const TuneReport& report, const BatchResult& batch) {
  const std::string batch_dim = batch_dim_name(report.spec);
  std::string text;
  for (const auto& [name, value] : batch.dims)
    if (name != batch_dim) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::string query_command(const TuneReport& report, const BatchResult& batch) {
  std::string command = fmt::format("kerntune query --db {} {} --batch {}", shell_word(report.store_path),
                                    shell_word(report.kernel), batch.batch);
  const std::string batch_dim = batch_dim_name(report.spec);
  for (const auto& [name, value] : batch.dims)
    if (name != batch_dim) command += fmt::format(" --dim {}={}", name, value);
  return command + " --device-key " + shell_word(report.device.device_class);
}

std::string precision_text(const Verification& v) {
  if (v.runs == 0) return {};
  std::string text = v.max_abs_error == 0 ? std::string("every element exact")
                                          : fmt::format(
                                                "largest error {:.3g} absolute, {:.3g} relative, {:.3g} in the "
                                                "2-norm",
                                                v.max_abs_error, v.max_rel_error, v.rel_l2_error);
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  text += fmt::format("; {}, {}", counted(v.seeds.size(), "seed"), counted(v.sizes.size(), "size"));
  if (!v.complete) text += ", not the whole verification";
  if (!v.deterministic) text += "; non_deterministic: equal inputs gave other bits";
  return text;
}

std::optional<Verification> stored_verification(const std::string& json) {
  try {
    const auto parsed = nlohmann::json::parse(json);
    if (parsed.contains("runs")) return wire::verification(parsed);
  } catch (const nlohmann::json::exception&) {  // written by another program
  }
  return std::nullopt;
}

std::string provisional_of(const storage::FinalRecord& record) {
  const auto details = nlohmann::json::parse(record.details_json, nullptr, /*allow_exceptions=*/false);
  if (!details.is_object() || !details.contains("provisional")) return {};  // or written by another program
  const auto& why = details.at("provisional");
  return why.is_string() ? why.get<std::string>() : "the store says so";
}

}  // namespace kerntune::report
