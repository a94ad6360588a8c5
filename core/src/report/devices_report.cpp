// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <kerntune/core/report.hpp>

#include "gpu_text.hpp"
#include "text_table.hpp"

namespace kerntune::report {
namespace {

std::string gpu_limits(const DeviceProperties& p) {
  return fmt::format("{} SMs; per SM {} threads, {} blocks, {} registers, {} shared memory", p.sm_count,
                     p.max_threads_per_sm, p.max_blocks_per_sm, grouped(p.registers_per_sm),
                     bytes_text(static_cast<std::uint64_t>(p.shared_per_sm)));
}

std::string block_limits(const DeviceProperties& p) {
  return fmt::format("{} threads, {} registers, {} shared memory ({} with opt-in)", p.max_threads_per_block,
                     grouped(p.registers_per_block), bytes_text(static_cast<std::uint64_t>(p.shared_per_block)),
                     bytes_text(static_cast<std::uint64_t>(p.shared_per_block_optin)));
}

std::string counters_text(const CounterAccess& access) {
  if (!access.usable()) return "none: " + sentence_of(access);
  return fmt::format("{} with CUPTI {}; `kerntune profile` takes them", access.chip, access.cupti);
}

std::string device_text(const DeviceInfo& device, const CounterAccess* counters, const Style& style) {
  std::string out = fmt::format("{}  {}\n", inked(device.id, Ink::bold, style), device.name);
  const auto add = [&](std::string_view name, const std::string& value) { add_line(out, name, value, style, 12); };
  add("device key", device.device_class);
  const DeviceProperties& p = device.properties;
  if (device.kind == DeviceKind::cuda) {
    add("architecture", device.arch);
    add("processor", gpu_limits(p));
    add("block", block_limits(p));
  } else {
    add("cores", p.cpu_cores > 0 ? grouped(p.cpu_cores) : "");
  }
  if (p.l2_bytes > 0)
    add(device.kind == DeviceKind::cuda ? "L2 cache" : "cache", bytes_text(static_cast<std::uint64_t>(p.l2_bytes)));
  if (device.memory_bytes > 0) add("memory", bytes_text(device.memory_bytes));
  add("peak", rate_text(device.peak_bytes_per_s, "B/s"));
  add("peak f32", rate_text(device.peak_flop_per_s_f32, "FLOP/s"));
  add(device.kind == DeviceKind::cuda ? "driver" : "kernel", device.driver);
  add("uuid", device.uuid);
  if (counters != nullptr) add("counters", counters_text(*counters));
  if (device.board)
    for (const auto& [name, text] : board_lines(*device.board)) add(name, printable(text));
  return out;
}

}  // namespace

std::string devices_text(const DeviceList& list, const Style& style) {
  std::string out;
  for (const DeviceInfo& device : list.devices) {
    const auto counters = list.counters.find(device.id);
    out += (out.empty() ? "" : "\n") +
           device_text(device, counters == list.counters.end() ? nullptr : &counters->second, style);
  }
  if (!list.unavailable.empty()) out += fmt::format("\n{}\n", inked("not available", Ink::bold, style));
  for (const std::string& sentence : list.unavailable) out += wrapped(printable(sentence), 2, style);
  return out;
}

}  // namespace kerntune::report
