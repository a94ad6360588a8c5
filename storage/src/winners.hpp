// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "sqlite_db.hpp"

namespace kerntune::query::detail {

/// What may be served at one batch of one family by one code and toolchain. Views point into the set of texts.
struct Slot {
  std::string_view kernel, device_class, other_dims, policy, code_digest, toolchain;
  std::int64_t batch = 0;

  auto family() const { return std::tie(kernel, device_class, other_dims, policy); }
  auto generation() const { return std::tie(code_digest, toolchain); }
  bool operator==(const Slot&) const = default;
};

/// The newest winner of a slot.
struct Winner {
  Slot slot;
  std::int64_t finished_unix_us = 0;
  std::array<std::byte, 32> id{};
  std::string config, default_config;
  double time_ns = 0;

  auto age() const { return std::tie(finished_unix_us, id); }  // equal times: the larger id is the newer
};

/// Reads all winners of a store and keeps the newest of each slot; sorted by family, then batch. Texts of slots end in
/// `texts`. Errors: SqliteError, std::bad_alloc.
std::vector<Winner> read_winners(sqlite::Connection& db, std::unordered_set<std::string>& texts);

}  // namespace kerntune::query::detail
