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

std::string device_text(const DeviceInfo& device, const Style& style) {
  std::string out = fmt::format("{}  {}\n", inked(device.id, Ink::bold, style), device.name);
  add_line(out, "device key", device.device_class, style);
  const DeviceProperties& p = device.properties;
  if (device.kind == DeviceKind::cuda) {
    add_line(out, "architecture", device.arch, style);
    add_line(out, "processor", gpu_limits(p), style);
    add_line(out, "block", block_limits(p), style);
  } else {
    add_line(out, "cores", p.cpu_cores > 0 ? grouped(p.cpu_cores) : "", style);
  }
  if (p.l2_bytes > 0)
    add_line(out, device.kind == DeviceKind::cuda ? "L2 cache" : "cache",
             bytes_text(static_cast<std::uint64_t>(p.l2_bytes)), style);
  if (device.memory_bytes > 0) add_line(out, "memory", bytes_text(device.memory_bytes), style);
  add_line(out, "peak", rate_text(device.peak_bytes_per_s, "B/s"), style);
  add_line(out, "peak f32", rate_text(device.peak_flop_per_s_f32, "FLOP/s"), style);
  add_line(out, device.kind == DeviceKind::cuda ? "driver" : "kernel", device.driver, style);
  add_line(out, "uuid", device.uuid, style);
  if (device.board)
    for (const auto& [name, text] : board_lines(*device.board)) add_line(out, name, printable(text), style);
  return out;
}

}  // namespace

std::string devices_text(const DeviceList& list, const Style& style) {
  std::string out;
  for (const DeviceInfo& device : list.devices) out += (out.empty() ? "" : "\n") + device_text(device, style);
  if (!list.unavailable.empty()) out += fmt::format("\n{}\n", inked("not available", Ink::bold, style));
  for (const std::string& sentence : list.unavailable) out += wrapped(printable(sentence), 2, style);
  return out;
}

}  // namespace kerntune::report
