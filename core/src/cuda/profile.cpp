// SPDX-License-Identifier: Apache-2.0
// The session's part of taking counters.
#include "cuda_device.hpp"
#include "cuda_session.hpp"

#if KERNTUNE_HAVE_CUPTI
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include <kerntune/core/errors.hpp>

#include "cupti/access.hpp"
#include "cupti/metric_sets.hpp"
#include "cupti/profiler_owner.hpp"

namespace kerntune::cuda {
namespace {

using CountedEntry = tl::expected<Counters, Rejection>;

cupti::MetricSet wanted_set(const CounterRequest& request, const std::string& chip) {
  if (!request.metrics.empty()) return {"custom", "", request.metrics};
  if (request.set == "standard") return cupti::standard_set(chip);
  if (const cupti::MetricSet* set = cupti::find_set(request.set)) return *set;
  std::vector<std::string> names{"standard"};
  for (const cupti::MetricSet& set : cupti::all_sets()) names.push_back(set.name);
  throw UsageError(
      fmt::format("take counters: there is no set '{}'; there are {}", request.set, fmt::join(names, ", ")));
}

}  // namespace

/// A configuration that fails is left out of the rest; ranges stay where they are.
std::vector<CountedEntry> CudaSession::count(const std::vector<Prepared*>& prepared, const CounterRequest& request,
                                             const std::string& chip) {
  const cupti::MetricSet set = wanted_set(request, chip);
  if (!profiler_) profiler_ = std::make_shared<cupti::ProfilerOwner>(*cupti::cupti_api(), context_.handle(), chip);
  std::vector<std::optional<Rejection>> failed(prepared.size());
  const auto unless_failed = [&](std::size_t i, const auto& work) {
    if (failed[i]) return;
    const auto done = guarded<bool>([&] {
      work(static_cast<CudaPrepared&>(*prepared[i]));
      return true;
    });
    if (!done) failed[i] = done.error();
  };
  // The first launch of a configuration loads its code, which is not to be counted.
  for (std::size_t i = 0; i < prepared.size(); ++i)
    unless_failed(i, [&](CudaPrepared& own) {
      make_ready(own);
      own.enqueue();
      context_.synchronize("run the kernel before counting");
      own.launched = true;
    });
  const auto prepare = [&](std::size_t i) {
    unless_failed(i, [&](CudaPrepared& own) {
      make_ready(own);
      timer_.flush();
      context_.synchronize("make ready for counting");
    });
  };
  const auto run = [&](std::size_t i) {
    unless_failed(i, [&](CudaPrepared& own) {
      own.enqueue();
      context_.synchronize("run the kernel under the profiler");
    });
  };
  cupti::PlanRequest wish;
  wish.max_passes = request.max_passes;
  wish.strict = !request.metrics.empty();
  std::vector<Counters> counters = profiler_->count(set, wish, prepared.size(), prepare, run);
  std::vector<CountedEntry> entries;
  for (std::size_t i = 0; i < prepared.size(); ++i)
    entries.push_back(failed[i] ? CountedEntry(tl::unexpected(*failed[i])) : CountedEntry(std::move(counters[i])));
  return entries;
}

CounterProfile CudaSession::profile(const std::vector<Prepared*>& prepared, const CounterRequest& request) {
  CounterProfile profile;
  const auto surroundings =
      cupti::real_surroundings(context_.ordinal(), static_cast<int>(device_.properties.compute_capability));
  profile.access = cupti::climb(surroundings);
  if (!profile.access.usable()) return profile;
  try {
    context_.make_current();
    profile.entries = count(prepared, request, profile.access.chip);
    profile.access.tried = true;
    if (!request.keep_on) end_counting();
  } catch (const cupti::CuptiError& error) {
    profile.access = cupti::access_after(std::move(profile.access), surroundings, error);
  }
  return profile;
}

void CudaSession::end_counting() noexcept {
  if (profiler_) profiler_->switch_off();
}

}  // namespace kerntune::cuda

namespace kerntune {

CounterAccess cuda_counter_access(const DeviceInfo& device) {
  const int ordinal = std::atoi(device.id.c_str() + std::string_view("cuda:").size());
  return cupti::climb(cupti::real_surroundings(ordinal, static_cast<int>(device.properties.compute_capability)));
}

}  // namespace kerntune

#else

namespace kerntune {

CounterAccess cuda_counter_access(const DeviceInfo&) {
  CounterAccess none;
  none.rung = CounterAccess::Rung::wrong_library;
  none.reason = "this build was made without CUPTI's headers";
  none.remedy = "build it where the CUDA toolkit, 12.6 or newer, has cupti_range_profiler.h";
  return none;
}

CounterProfile cuda::CudaSession::profile(const std::vector<Prepared*>&, const CounterRequest&) {
  return {cuda_counter_access(device_), {}};
}

void cuda::CudaSession::end_counting() noexcept {}

}  // namespace kerntune
#endif
