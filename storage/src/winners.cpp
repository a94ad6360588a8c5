// SPDX-License-Identifier: Apache-2.0
#include "winners.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "served_final.hpp"

namespace kerntune::query::detail {
namespace {

constexpr std::size_t kMaxSlots = 1'000'000;

struct SlotHash {
  // Equal texts of slots are one text in memory, so their addresses stand for them.
  std::size_t operator()(const Slot& slot) const noexcept {
    auto hash = static_cast<std::uint64_t>(slot.batch);
    for (const std::string_view* text :
         {&slot.kernel, &slot.device_class, &slot.other_dims, &slot.policy, &slot.code_digest, &slot.toolchain}) {
      hash = (hash ^ reinterpret_cast<std::uintptr_t>(text->data())) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
  }
};

/// Gives every text one place. Rows that follow each other share most of theirs, hence the short way.
class Texts {
 public:
  explicit Texts(std::unordered_set<std::string>& all) : all_(all) {}
  std::string_view keep(std::size_t column, std::string_view text) {
    std::string_view& last = last_[column];
    if (last.data() == nullptr || last != text) last = *all_.emplace(text).first;
    return last;
  }

 private:
  std::unordered_set<std::string>& all_;
  std::array<std::string_view, 6> last_;
};

Slot slot_of(const storage::ServedFinal& row, Texts& texts) {
  return {.kernel = texts.keep(0, row.kernel),
          .device_class = texts.keep(1, row.device_class),
          .other_dims = texts.keep(2, row.other_dims),
          .policy = texts.keep(3, row.policy),
          .code_digest = texts.keep(4, row.code_digest),
          .toolchain = texts.keep(5, row.toolchain),
          .batch = row.batch};
}

Winner winner_of(const storage::ServedFinal& row, const Slot& slot) {
  Winner winner{.slot = slot,
                .finished_unix_us = row.finished_unix_us,
                .id = {},
                .config = std::string(row.config),
                .default_config = std::string(row.default_config),
                .time_ns = row.time_ns};
  if (row.id.size() != winner.id.size()) sqlite::throw_damaged("the id of a winner is not 32 bytes long");
  std::ranges::copy(row.id, winner.id.begin());
  return winner;
}

}  // namespace

std::vector<Winner> read_winners(sqlite::Connection& db, std::unordered_set<std::string>& texts) {
  std::unordered_map<Slot, Winner, SlotHash> newest;
  Texts kept(texts);
  storage::ServedFinals rows(db);
  while (rows.step()) {
    const storage::ServedFinal row = rows.row();
    Winner winner = winner_of(row, slot_of(row, kept));
    const auto [at, added] = newest.try_emplace(winner.slot);
    if (added || at->second.age() < winner.age()) at->second = std::move(winner);
    if (newest.size() > kMaxSlots) sqlite::throw_damaged("more than a million winners");
  }
  std::vector<Winner> winners;
  winners.reserve(newest.size());
  for (auto& [slot, winner] : newest) winners.push_back(std::move(winner));
  std::ranges::sort(winners, [](const Winner& a, const Winner& b) {
    const auto order = [](const Slot& slot) { return std::tuple_cat(slot.family(), std::tie(slot.batch)); };
    return order(a.slot) < order(b.slot);
  });
  return winners;
}

}  // namespace kerntune::query::detail
