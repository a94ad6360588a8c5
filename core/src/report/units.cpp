// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <kerntune/core/report.hpp>

namespace kerntune::report {
namespace {

/// Four significant digits in fixed notation, for numbers from 1 to 9999.
std::string four_digits(double value) {
  const int decimals = value >= 999.95 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
  return fmt::format("{:.{}f}", value, decimals);
}

struct Unit {
  double size;
  std::string_view name;
};

template <std::size_t N>
const Unit& fitting(double amount, const std::array<Unit, N>& units) {
  // Units ascend; the last whose size is reached, counting what would round up to it.
  const Unit* best = &units.front();
  for (const Unit& unit : units)
    if (amount >= unit.size * 0.99995) best = &unit;
  return *best;
}

}  // namespace

std::string time_text(double ns, const Style& style) {
  if (!(ns > 0) || !std::isfinite(ns)) return "-";
  static constexpr std::array<Unit, 4> kUnits{{{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}}};
  const Unit& unit = fitting(ns, kUnits);
  const std::string_view name = style.utf8 && unit.name == "us" ? "µs" : unit.name;
  return fmt::format("{} {}", four_digits(ns / unit.size), name);
}

std::string rate_text(double per_second, std::string_view unit) {
  if (!(per_second > 0) || !std::isfinite(per_second)) return "-";
  static constexpr std::array<Unit, 6> kPrefixes{
      {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}}};
  const Unit& prefix = fitting(per_second, kPrefixes);
  return fmt::format("{} {}{}", four_digits(per_second / prefix.size), prefix.name, unit);
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 5> kNames{"B", "KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes);
  std::size_t name = 0;
  for (; amount >= 1024 && name + 1 < kNames.size(); ++name) amount /= 1024;
  const bool whole = amount == std::floor(amount) || amount >= 100;
  return fmt::format("{:.{}f} {}", amount, whole ? 0 : 1, kNames[name]);
}

std::string grouped(std::string_view digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t left = digits.size() - i;
    if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') text += ',';
    text += digits[i];
  }
  return text;
}

std::string grouped(std::int64_t number) { return grouped(fmt::format("{}", number)); }

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-./:=,+@%") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || !std::isfinite(seconds)) return "-";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(std::min(seconds, 1e15)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}m {:02}s", whole / 60, whole % 60);
  return fmt::format("{}h {:02}m", whole / 3600, whole / 60 % 60);
}

}  // namespace kerntune::report
