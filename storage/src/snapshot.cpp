// SPDX-License-Identifier: Apache-2.0
#include "snapshot.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "winners.hpp"

namespace kerntune::query::detail {
namespace {

std::string_view keep(Snapshot& snapshot, const std::string& text) { return *snapshot.texts.insert(text).first; }

const Winner& newest(std::span<const Winner> winners) { return *std::ranges::max_element(winners, {}, &Winner::age); }

// Requires winners of one family, by batch.
FamilyData make_family(std::span<const Winner> winners, std::string_view default_config, Snapshot& snapshot) {
  const Winner& leader = newest(winners);
  FamilyData data{.batches = {}, .tuned = {}, .default_config = default_config, .reason = {}};
  for (const Winner& winner : winners) {
    if (winner.slot.generation() != leader.slot.generation()) continue;
    const double before_ns = data.tuned.empty() ? 0 : data.tuned.back().time_ns;
    const bool known = before_ns > 0 && winner.time_ns > 0;
    data.batches.push_back(winner.slot.batch);
    data.tuned.push_back({.config = keep(snapshot, winner.config),
                          .time_ns = winner.time_ns,
                          .bound_below = known ? std::max(1.0, winner.time_ns / before_ns) : 0});
  }
  return data;
}

std::array<FamilyData, kMisses> make_misses(std::string_view default_config) {
  constexpr std::array<std::string_view, kMisses> kReasons = {
      "no device given: the default",
      "tuned, but not on this device class: the default",
      "tuned on this device class, but not at these sizes: the default",
      "tuned on this device class at these sizes, but not under this policy: the default",
      "tuned under several policies and none was asked for: the default",
  };
  std::array<FamilyData, kMisses> misses;
  for (std::size_t i = 0; i < kMisses; ++i) {
    misses[i].default_config = default_config;
    misses[i].reason = kReasons[i];
  }
  return misses;
}

// The leading run of winners that agree with the first in `part`; removed from `rest`.
template <typename Part>
std::span<const Winner> take_group(std::span<const Winner>& rest, Part part) {
  const auto end = std::ranges::find_if(rest, [&](const Winner& winner) { return part(winner) != part(rest.front()); });
  const auto count = static_cast<std::size_t>(end - rest.begin());
  const auto group = rest.first(count);
  rest = rest.subspan(count);
  return group;
}

// Requires winners of one kernel, by family, then batch.
KernelEntry make_kernel(std::span<const Winner> winners, Snapshot& snapshot) {
  const std::string_view default_config = keep(snapshot, newest(winners).default_config);
  KernelEntry kernel{.name = winners.front().slot.kernel, .families = {}, .misses = make_misses(default_config)};
  while (!winners.empty()) {
    const auto family = take_group(winners, [](const Winner& winner) { return winner.slot.family(); });
    const Slot& slot = family.front().slot;
    kernel.families.push_back({.device_class = slot.device_class,
                               .other_dims = slot.other_dims,
                               .policy = slot.policy,
                               .data = make_family(family, default_config, snapshot)});
  }
  return kernel;
}

}  // namespace

Snapshot failed(std::string error) {
  Snapshot snapshot;
  snapshot.error = std::move(error);
  snapshot.unknown_kernel.reason = "the file of tuned configurations cannot be used: nothing is known";
  return snapshot;
}

Snapshot load_finals(sqlite::Connection& db) {
  Snapshot snapshot;
  snapshot.unknown_kernel.reason = "the file holds no winner for this kernel: nothing is known";
  const std::vector<Winner> winners = read_winners(db, snapshot.texts);
  std::span<const Winner> rest = winners;
  while (!rest.empty()) {
    const auto kernel = take_group(rest, [](const Winner& winner) { return winner.slot.kernel; });
    snapshot.kernels.push_back(make_kernel(kernel, snapshot));
  }
  return snapshot;
}

}  // namespace kerntune::query::detail
