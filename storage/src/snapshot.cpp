// SPDX-License-Identifier: Apache-2.0
#include "snapshot.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "served_final.hpp"

namespace kerntune::query::detail {
namespace {

constexpr std::size_t kMaxWinners = 1'000'000;

std::string_view keep(Snapshot& snapshot, std::string_view text) { return *snapshot.texts.emplace(text).first; }

/// A winner whose texts live in the snapshot. Of `id`, the text of its bytes.
struct Winner {
  std::string_view kernel, device_class, other_dims, policy, code_digest, toolchain, config, default_config, id;
  std::int64_t batch = 0, finished_unix_us = 0;
  double time_ns = 0;

  auto family() const { return std::tie(kernel, device_class, other_dims, policy); }
  auto generation() const { return std::tie(code_digest, toolchain); }
  auto age() const { return std::tie(finished_unix_us, id); }
};

Winner kept(Snapshot& snapshot, const storage::ServedFinal& row) {
  const std::string_view id{reinterpret_cast<const char*>(row.id.data()), row.id.size()};
  return {.kernel = keep(snapshot, row.kernel),
          .device_class = keep(snapshot, row.device_class),
          .other_dims = keep(snapshot, row.other_dims),
          .policy = keep(snapshot, row.policy),
          .code_digest = keep(snapshot, row.code_digest),
          .toolchain = keep(snapshot, row.toolchain),
          .config = keep(snapshot, row.config),
          .default_config = keep(snapshot, row.default_config),
          .id = keep(snapshot, id),
          .batch = row.batch,
          .finished_unix_us = row.finished_unix_us,
          .time_ns = row.time_ns};
}

std::vector<Winner> read_winners(sqlite::Connection& db, Snapshot& snapshot) {
  std::vector<Winner> winners;
  storage::CurrentFinals finals(db);
  while (finals.step()) {
    if (winners.size() == kMaxWinners) sqlite::throw_damaged("more than a million winners");
    winners.push_back(kept(snapshot, finals.row()));
  }
  return winners;
}

const Winner& newest(std::span<const Winner> winners) { return *std::ranges::max_element(winners, {}, &Winner::age); }

// Requires winners of one family, by batch and then newest first.
FamilyData make_family(std::span<const Winner> winners, std::string_view default_config) {
  const Winner& leader = newest(winners);
  FamilyData data{.batches = {}, .tuned = {}, .default_config = default_config, .reason = {}};
  for (const Winner& winner : winners) {
    if (winner.generation() != leader.generation()) continue;
    if (!data.batches.empty() && data.batches.back() == winner.batch) continue;
    const double before_ns = data.tuned.empty() ? 0 : data.tuned.back().time_ns;
    const bool known = before_ns > 0 && winner.time_ns > 0;
    data.batches.push_back(winner.batch);
    data.tuned.push_back({.config = winner.config,
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

// Requires winners of one kernel, by family, then batch, then newest first.
KernelEntry make_kernel(std::span<const Winner> winners) {
  const std::string_view default_config = newest(winners).default_config;
  KernelEntry kernel{.name = winners.front().kernel, .families = {}, .misses = make_misses(default_config)};
  while (!winners.empty()) {
    const auto family = take_group(winners, [](const Winner& winner) { return winner.family(); });
    kernel.families.push_back({.device_class = family.front().device_class,
                               .other_dims = family.front().other_dims,
                               .policy = family.front().policy,
                               .data = make_family(family, default_config)});
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
  std::vector<Winner> winners = read_winners(db, snapshot);
  std::ranges::sort(winners, [](const Winner& a, const Winner& b) {
    if (a.family() != b.family()) return a.family() < b.family();
    return a.batch != b.batch ? a.batch < b.batch : a.age() > b.age();
  });
  std::span<const Winner> rest = winners;
  while (!rest.empty()) {
    snapshot.kernels.push_back(make_kernel(take_group(rest, [](const Winner& winner) { return winner.kernel; })));
  }
  return snapshot;
}

}  // namespace kerntune::query::detail
