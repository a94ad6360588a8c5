// SPDX-License-Identifier: Apache-2.0
#include "gpu_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kerntune::report {
namespace {

using Number = std::optional<std::int64_t>;
using Parts = std::vector<std::string>;

void add(Parts& parts, fmt::format_string<const std::int64_t&> format, const Number& value) {
  if (value) parts.push_back(fmt::format(format, *value));
}

void add_mode(Parts& parts, const char* name, const std::optional<bool>& on) {
  if (on) parts.push_back(fmt::format("{} {}", name, *on ? "on" : "off"));
}

std::string joined(const Parts& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

std::string watts(std::int64_t mw) { return fmt::format("{:g} W", static_cast<double>(mw) / 1e3); }

std::string power_text(const BoardFacts& board) {
  Parts parts;
  if (board.power_limit_mw) parts.push_back("limit " + watts(*board.power_limit_mw));
  if (board.power_limit_default_mw) parts.push_back("default " + watts(*board.power_limit_default_mw));
  if (board.power_limit_min_mw && board.power_limit_max_mw)
    parts.push_back(fmt::format("may be {} to {}", watts(*board.power_limit_min_mw), watts(*board.power_limit_max_mw)));
  return joined(parts);
}

std::string clocks_text(const BoardFacts& board) {
  Parts parts;
  add(parts, "up to {} MHz", board.sm_clock_max_mhz);
  add(parts, "memory {} MHz", board.memory_clock_max_mhz);
  add(parts, "slows down at {} C", board.temperature_slowdown_c);
  return joined(parts);
}

std::string link_text(const Number& generation, const Number& width) {
  Parts parts;
  add(parts, "generation {}", generation);
  add(parts, "x{}", width);
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string pcie_text(const BoardFacts& board) {
  const std::string now = link_text(board.pcie_generation, board.pcie_width);
  const std::string most = link_text(board.pcie_generation_max, board.pcie_width_max);
  if (most.empty() || most == now) return now;
  return now.empty() ? "at most " + most : fmt::format("{} now, at most {}", now, most);
}

std::string modes_text(const BoardFacts& board) {
  Parts parts;
  add_mode(parts, "ECC", board.ecc);
  add_mode(parts, "MIG", board.mig);
  add_mode(parts, "persistence", board.persistence_mode);
  return joined(parts);
}

std::string near_text(const BoardFacts& board) {
  Parts parts;
  if (board.numa_nodes) parts.push_back("NUMA node " + *board.numa_nodes);
  if (board.cpu_affinity) parts.push_back("CPUs " + *board.cpu_affinity);
  return joined(parts);
}

std::string identity_text(const BoardFacts& board) {
  Parts parts;
  if (board.pci_bus_id) parts.push_back("PCI " + *board.pci_bus_id);
  if (board.vbios) parts.push_back("VBIOS " + *board.vbios);
  return joined(parts);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> board_lines(const BoardFacts& board) {
  Parts links;
  add(links, "{} links active", board.nvlinks_active);
  std::vector<std::pair<std::string, std::string>> lines{{"board", identity_text(board)}, {"power", power_text(board)},
                                                         {"clocks", clocks_text(board)},  {"PCIe", pcie_text(board)},
                                                         {"NVLink", joined(links)},       {"modes", modes_text(board)},
                                                         {"near", near_text(board)}};
  std::erase_if(lines, [](const auto& line) { return line.second.empty(); });
  return lines;
}

std::string state_text(const GpuState& state) {
  Parts parts;
  add(parts, "{} MHz", state.sm_clock_mhz);
  add(parts, "memory {} MHz", state.memory_clock_mhz);
  if (state.power_mw) parts.push_back(fmt::format("{:.0f} W", static_cast<double>(*state.power_mw) / 1e3));
  add(parts, "{} °C", state.temperature_c);
  if (state.clock_event_reasons)
    for (std::string& name : names_of(*state.clock_event_reasons)) parts.push_back(std::move(name));
  return joined(parts);
}

}  // namespace kerntune::report
