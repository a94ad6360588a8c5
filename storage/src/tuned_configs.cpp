// SPDX-License-Identifier: Apache-2.0
#include <kerntune/query/tuned_configs.hpp>

#include <algorithm>
#include <exception>
#include <tuple>
#include <utility>

#include "snapshot.hpp"
#include "snapshot_file.hpp"

namespace kerntune::query {
namespace {

using detail::FamilyData;
using detail::FamilyEntry;
using detail::KernelEntry;
using detail::Miss;
using detail::Snapshot;

Decision fallback(const FamilyData& data, std::string_view reason) noexcept {
  Decision decision;
  decision.config = data.default_config;
  decision.reason = reason;
  return decision;
}

Decision tuned(const FamilyData& data, std::size_t at, Found found, double bound, std::string_view reason) noexcept {
  return {found, data.tuned[at].config, data.batches[at], data.tuned[at].time_ns, bound, reason};
}

const KernelEntry* find_kernel(const Snapshot& snapshot, std::string_view name) noexcept {
  const auto at = std::ranges::lower_bound(snapshot.kernels, name, {}, &KernelEntry::name);
  return at != snapshot.kernels.end() && at->name == name ? &*at : nullptr;
}

const FamilyData& find_family(const KernelEntry& kernel, const Key& key) noexcept {
  const auto miss = [&](Miss kind) -> const FamilyData& { return kernel.misses[static_cast<std::size_t>(kind)]; };
  if (key.device_class.empty()) return miss(Miss::no_device);
  const auto device =
      std::ranges::equal_range(kernel.families, std::string_view(key.device_class), {}, &FamilyEntry::device_class);
  if (device.empty()) return miss(Miss::other_device);
  const auto sizes = std::ranges::equal_range(device, std::string_view(key.other_dims), {}, &FamilyEntry::other_dims);
  if (sizes.empty()) return miss(Miss::other_sizes);
  if (key.policy.empty()) return sizes.size() == 1 ? sizes.front().data : miss(Miss::several_policies);
  const auto policy = std::ranges::equal_range(sizes, std::string_view(key.policy), {}, &FamilyEntry::policy);
  return policy.empty() ? miss(Miss::other_policy) : policy.front().data;
}

}  // namespace

std::string_view name_of(Found found) noexcept {
  switch (found) {
    case Found::exact:
      return "exact";
    case Found::bucket:
      return "bucket";
    case Found::extrapolated:
      return "extrapolated";
    case Found::fallback:
      break;
  }
  return "default";
}

Decision Family::pick(std::int64_t batch) const noexcept {
  if (!data_) return fallback({}, "not resolved from a file: nothing is known");
  const FamilyData& data = *data_;
  if (data.batches.empty()) return fallback(data, data.reason);
  if (batch < 1) return fallback(data, "a batch is at least 1: the default");
  const auto at = static_cast<std::size_t>(std::ranges::lower_bound(data.batches, batch) - data.batches.begin());
  if (at == data.batches.size()) {
    return tuned(data, at - 1, Found::extrapolated, 0,
                 "above the largest tuned batch, which serves it: no bound is known");
  }
  if (data.batches[at] == batch) return tuned(data, at, Found::exact, 1, "tuned at this batch");
  if (at == 0) {
    return tuned(data, at, Found::bucket, 0, "below the smallest tuned batch, which serves it: no bound is known");
  }
  return tuned(data, at, Found::bucket, data.tuned[at].bound_below, "the next larger tuned batch serves it");
}

TunedConfigs TunedConfigs::open(const std::string& path) noexcept {
  TunedConfigs configs;
  try {
    configs.snapshot_ = std::make_shared<const Snapshot>(detail::read_snapshot(path));
  } catch (const std::exception&) {
    // Out of memory even for an error message; error() says so.
  }
  return configs;
}

const std::string& TunedConfigs::error() const noexcept {
  static const std::string kNothing = "out of memory";  // short enough to need none
  return snapshot_ ? snapshot_->error : kNothing;
}

Family TunedConfigs::resolve(const Key& key) const noexcept {
  Family family;
  if (!snapshot_) return family;
  const KernelEntry* const kernel = find_kernel(*snapshot_, key.kernel);
  family.data_ = {snapshot_, kernel ? &find_family(*kernel, key) : &snapshot_->unknown_kernel};
  return family;
}

std::vector<std::string> TunedConfigs::kernels() const {
  std::vector<std::string> names;
  if (!snapshot_) return names;
  for (const KernelEntry& kernel : snapshot_->kernels) names.emplace_back(kernel.name);
  return names;
}

}  // namespace kerntune::query
