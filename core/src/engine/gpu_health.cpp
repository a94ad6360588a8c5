// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu_health.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kerntune {
namespace {

using Number = std::optional<std::int64_t>;
using Counter = Number GpuState::*;

struct Name {
  ClockEvents::Bit bit;
  const char* text;
};
constexpr std::array kNames{
    Name{ClockEvents::gpu_idle, "gpu_idle"},
    Name{ClockEvents::applications_clocks_setting, "applications_clocks_setting"},
    Name{ClockEvents::sw_power_cap, "sw_power_cap"},
    Name{ClockEvents::hw_slowdown, "hw_slowdown"},
    Name{ClockEvents::sync_boost, "sync_boost"},
    Name{ClockEvents::sw_thermal_slowdown, "sw_thermal_slowdown"},
    Name{ClockEvents::hw_thermal_slowdown, "hw_thermal_slowdown"},
    Name{ClockEvents::hw_power_brake_slowdown, "hw_power_brake_slowdown"},
    Name{ClockEvents::display_clock_setting, "display_clock_setting"},
};

/// Before the first time is taken the clocks rise from idle, and hw_slowdown may show for a moment without a slowdown
/// (nvml.h says so).
bool may_be_a_clock_change(const GpuSnapshot& s, ClockEvents::Bit bit) {
  return bit == ClockEvents::hw_slowdown && (s.at == "session" || s.at == "restart");
}

bool seen(const GpuSnapshots& snapshots, ClockEvents::Bit bit) {
  return std::any_of(snapshots.begin(), snapshots.end(), [&](const GpuSnapshot& s) {
    return s.state.clock_event_reasons && s.state.clock_event_reasons->has(bit) && !may_be_a_clock_change(s, bit);
  });
}

/// Nanoseconds by which the counter grew from the first snapshot that knows it to the last; 0 if none or one does, or
/// if it began anew (a driver that was loaded again).
std::int64_t growth_ns(const GpuSnapshots& snapshots, Counter counter) {
  Number first, last;
  for (const GpuSnapshot& s : snapshots) {
    const Number now = s.state.*counter;
    if (!now) continue;
    if (!first) first = now;
    last = now;
  }
  return first ? std::max<std::int64_t>(0, *last - *first) : 0;
}

std::string seconds_text(std::int64_t ns) {
  const double s = static_cast<double>(ns) / 1e9;
  return s < 0.1 ? fmt::format("{:.3g} ms", s * 1e3) : fmt::format("{:.1f} s", s);
}

Number hottest(const GpuSnapshots& snapshots) {
  Number most;
  for (const GpuSnapshot& s : snapshots)
    if (s.state.temperature_c) most = std::max(most.value_or(*s.state.temperature_c), *s.state.temperature_c);
  return most;
}

/// The best that a link did: idle ones are slowed down to save power.
Number best(Number of_board, const GpuSnapshots& snapshots, Counter value) {
  for (const GpuSnapshot& s : snapshots)
    if (const Number now = s.state.*value) of_board = std::max(of_board.value_or(*now), *now);
  return of_board;
}

std::string watts(std::int64_t mw) { return fmt::format("{:g} W", static_cast<double>(mw) / 1e3); }

std::string link_text(Number generation, Number width) {
  std::string text = generation ? fmt::format("generation {}", *generation) : std::string();
  if (width) text += fmt::format("{}x{}", text.empty() ? "" : " ", *width);
  return text;
}

std::string slow_link(const BoardFacts& board, const GpuSnapshots& snapshots) {
  const Number generation = best(board.pcie_generation, snapshots, &GpuState::pcie_generation);
  const Number width = best(board.pcie_width, snapshots, &GpuState::pcie_width);
  const auto below = [](Number now, Number max) { return now && max && *now < *max; };
  if (!below(generation, board.pcie_generation_max) && !below(width, board.pcie_width_max)) return {};
  return fmt::format(
      "PCIe ran as {}, at most {} is possible here: copies between host and device take longer than they should",
      link_text(generation, width), link_text(board.pcie_generation_max, board.pcie_width_max));
}

std::string near_slowdown(const BoardFacts& board, const GpuSnapshots& snapshots) {
  constexpr std::int64_t kNear = 5;  // degrees
  const Number most = hottest(snapshots);
  if (!most || !board.temperature_slowdown_c || *most + kNear < *board.temperature_slowdown_c) return {};
  return fmt::format("the GPU reached {} C; it slows down at {} C", *most, *board.temperature_slowdown_c);
}

}  // namespace

std::vector<std::string> names_of(ClockEvents events) {
  std::vector<std::string> names;
  for (const Name& name : kNames) {
    if (events.has(name.bit)) names.emplace_back(name.text);
    events.bits &= ~static_cast<std::uint64_t>(name.bit);
  }
  for (std::uint64_t bit = 1; bit != 0; bit <<= 1U)
    if ((events.bits & bit) != 0) names.push_back(fmt::format("{:#x}", bit));
  return names;
}

ClockEvents clock_events_from(const std::vector<std::string>& names) {
  ClockEvents events;
  for (const std::string& name : names) {
    std::uint64_t bits = 0;
    if (name.starts_with("0x")) std::from_chars(name.data() + 2, name.data() + name.size(), bits, 16);
    for (const Name& known : kNames)
      if (name == known.text) bits = known.bit;
    events.bits |= bits;
  }
  return events;
}

std::string slowed_down(const GpuSnapshots& snapshots) {
  struct Kind {
    ClockEvents::Bit bit;
    const char* text;
    Counter counter;  // null: there is none
  };
  constexpr std::array kKinds{
      Kind{ClockEvents::sw_thermal_slowdown, "sw_thermal_slowdown", &GpuState::sw_thermal_slowdown_ns},
      Kind{ClockEvents::hw_thermal_slowdown, "hw_thermal_slowdown", &GpuState::hw_thermal_slowdown_ns},
      Kind{ClockEvents::hw_power_brake_slowdown, "hw_power_brake_slowdown", &GpuState::hw_power_brake_slowdown_ns},
      Kind{ClockEvents::hw_slowdown, "hw_slowdown", nullptr},
  };
  std::vector<std::string> active;
  for (const Kind& kind : kKinds) {
    const std::int64_t held_ns = kind.counter == nullptr ? 0 : growth_ns(snapshots, kind.counter);
    if (held_ns > 0)
      active.push_back(fmt::format("{} ({})", kind.text, seconds_text(held_ns)));
    else if (seen(snapshots, kind.bit))
      active.emplace_back(kind.text);
  }
  if (active.empty()) return {};
  const Number most = hottest(snapshots);
  return fmt::format("the GPU's clocks were held down by {}{}", fmt::join(active, ", "),
                     most ? fmt::format(", at up to {} C", *most) : "");
}

std::string power_capped(const GpuSnapshots& snapshots, const std::optional<BoardFacts>& board) {
  const std::int64_t held_ns = growth_ns(snapshots, &GpuState::sw_power_cap_ns);
  if (held_ns == 0 && !seen(snapshots, ClockEvents::sw_power_cap)) return {};
  const std::string limit = board && board->power_limit_mw ? " of " + watts(*board->power_limit_mw) : "";
  return fmt::format("the power limit{} held the clocks down (sw_power_cap{})", limit,
                     held_ns > 0 ? fmt::format(" for {}", seconds_text(held_ns)) : "");
}

std::vector<std::string> unusual(const BoardFacts& board, const GpuSnapshots& snapshots) {
  std::vector<std::string> notes;
  if (std::string link = slow_link(board, snapshots); !link.empty()) notes.push_back(std::move(link));
  if (board.power_limit_mw && board.power_limit_default_mw && *board.power_limit_mw < *board.power_limit_default_mw)
    notes.push_back(fmt::format("the power limit is {}, the board's default is {}: times are those of this limit",
                                watts(*board.power_limit_mw), watts(*board.power_limit_default_mw)));
  if (board.mig == true)
    notes.emplace_back("the GPU is partitioned (MIG is on): others may share its power and clocks");
  if (board.ecc == false)
    notes.emplace_back("ECC is off: memory errors go unnoticed, and on some boards memory is faster than with it");
  if (std::string hot = near_slowdown(board, snapshots); !hot.empty()) notes.push_back(std::move(hot));
  return notes;
}

}  // namespace kerntune
