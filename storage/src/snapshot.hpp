// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "sqlite_db.hpp"

namespace kerntune::query::detail {

/// One tuned batch of a family.
struct Tuned {
  std::string_view config;
  double time_ns = 0;
  double bound_below = 0;  // for batches between the tuned one before and this one; 0: unknown
};

struct FamilyData {
  std::vector<std::int64_t> batches;  // ascending, apart from the rest: a search touches one or two cache lines
  std::vector<Tuned> tuned;           // as many; none: every answer is the default
  std::string_view default_config;
  std::string_view reason;  // why the default, where there are no batches
};

/// Why a question about a known kernel has no tuned answer.
enum class Miss { no_device, other_device, other_sizes, other_policy, several_policies };
inline constexpr std::size_t kMisses = 5;

struct FamilyEntry {
  std::string_view device_class, other_dims, policy;
  FamilyData data;
};

struct KernelEntry {
  std::string_view name;
  std::vector<FamilyEntry> families;       // by device_class, other_dims, policy
  std::array<FamilyData, kMisses> misses;  // the answer to each
};

struct Snapshot {
  std::string error;                      // why there are no kernels, if there is a reason
  std::vector<KernelEntry> kernels;       // by name
  std::unordered_set<std::string> texts;  // what the views point into
  FamilyData unknown_kernel;
};

/// Reads the current winners of a store. Errors: SqliteError, std::bad_alloc.
Snapshot load_finals(sqlite::Connection& db);
Snapshot failed(std::string error);

}  // namespace kerntune::query::detail
