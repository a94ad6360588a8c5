// SPDX-License-Identifier: Apache-2.0
#include "pass_planner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include <kerntune/core/errors.hpp>

#include "metric_sets.hpp"
#include "spec/nearest_name.hpp"

namespace kerntune::cupti {
namespace {

/// CUPTI takes names as an array of C strings that it does not keep.
std::vector<const char*> pointers_to(std::span<const std::string> names) {
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

/// A schedule for some metrics: CUPTI's objects only grow, so every trial gets its own.
struct Schedule {
  std::vector<std::uint8_t> image;
  std::size_t passes = 0;  // 0: CUPTI refuses the combination
};

Schedule schedule(const CuptiApi& api, const PlanRequest& request, const std::vector<std::string>& metrics) {
  HostProfiler host(api, request.chip, request.availability);
  if (!host.add(metrics)) return {};
  Schedule made{host.image(), 0};
  made.passes = host.passes_of(made.image);
  return made;
}

bool fits(const Schedule& schedule, const PlanRequest& request) {
  return schedule.passes > 0 && (request.max_passes == 0 || schedule.passes <= request.max_passes);
}

/// The chip's name for a wish, or nothing.
std::string name_on_chip(const HostProfiler& host, const std::string& wish) {
  if (host.knows(wish)) return wish;
  for (const std::string& alias : aliases_of(wish))
    if (host.knows(alias)) return alias;
  return {};
}

/// Whether any of our sets asks for it: then it is a chip that lacks it, not a slip of the pen.
bool is_ours(const std::string& wish) {
  return std::any_of(all_sets().begin(), all_sets().end(), [&](const MetricSet& set) {
    return std::find(set.metrics.begin(), set.metrics.end(), wish) != set.metrics.end();
  });
}

[[noreturn]] void refuse(const HostProfiler& host, const std::string& chip, const std::string& wish) {
  const std::string base = wish.substr(0, wish.find('.'));
  const std::vector<std::string> near = nearest_names(base, host.base_names(), 3);
  throw UsageError(
      fmt::format("plan counters for {}: the chip has no metric '{}'{}{}", chip, wish,
                  near.empty() ? "" : fmt::format("; the nearest names are {}", fmt::join(near, ", ")),
                  wish.find('.') == std::string::npos ? "; a metric ends in a roll-up: .sum, .avg, .max or .pct" : ""));
}

void resolve(const HostProfiler& host, const PlanRequest& request, Plan& plan) {
  for (const std::string& wish : request.wishes) {
    const std::string name = name_on_chip(host, wish);
    if (!name.empty())
      plan.metrics.push_back({wish, name, host.unit_of(name)});
    else if (request.strict || !is_ours(wish))
      refuse(host, request.chip, wish);
    else
      plan.missing.push_back(wish);
  }
}

std::vector<std::string> counted_names(const std::vector<PlannedMetric>& metrics) {
  std::vector<std::string> names;
  for (const PlannedMetric& metric : metrics) names.push_back(metric.counted_as);
  return names;
}

/// Takes metrics in turn as long as the passes suffice. Cleverer packing gains nothing: four orders of 61 metrics
/// differed by at most one pass in twelve.
void take_what_fits(const CuptiApi& api, const PlanRequest& request, Plan& plan) {
  std::vector<PlannedMetric> taken;
  Schedule last;
  for (const PlannedMetric& metric : plan.metrics) {
    taken.push_back(metric);
    Schedule trial = schedule(api, request, counted_names(taken));
    if (fits(trial, request)) {
      last = std::move(trial);
    } else {
      taken.pop_back();
      plan.dropped.push_back(metric.wished);
    }
  }
  plan.metrics = std::move(taken);
  plan.image = std::move(last.image);
  plan.passes = last.passes;
}

}  // namespace

std::vector<std::string> supported_chips(const CuptiApi& api) {
  KERNTUNE_CUPTI_PARAMS(params, CUpti_Profiler_Host_GetSupportedChips_Params);
  check(api, api.host_chips(&params), "list the chips that CUPTI knows");
  return {params.ppChipNames, params.ppChipNames + params.numChips};
}

Plan plan_passes(const CuptiApi& api, const PlanRequest& request) {
  const HostProfiler host(api, request.chip, request.availability);
  Plan plan;
  plan.chip = request.chip;
  resolve(host, request, plan);
  if (plan.metrics.empty()) return plan;
  Schedule all = schedule(api, request, counted_names(plan.metrics));
  if (!fits(all, request)) {
    take_what_fits(api, request, plan);
    return plan;
  }
  plan.image = std::move(all.image);
  plan.passes = all.passes;
  return plan;
}

HostProfiler::HostProfiler(const CuptiApi& api, const std::string& chip, std::span<const std::uint8_t> availability)
    : api_(api) {
  const std::vector<std::string> chips = supported_chips(api);
  if (std::find(chips.begin(), chips.end(), chip) == chips.end())
    throw UsageError(fmt::format("plan counters for chip '{}': CUPTI {} does not know it; it knows {}", chip,
                                 api.version, fmt::join(chips, ", ")));
  KERNTUNE_CUPTI_PARAMS(params, CUpti_Profiler_Host_Initialize_Params);
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip.c_str();
  params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  check(api, api.host_initialize(&params), fmt::format("plan counters for chip '{}'", chip));
  object_ = params.pHostObject;
}

HostProfiler::~HostProfiler() {
  KERNTUNE_CUPTI_PARAMS(params, CUpti_Profiler_Host_Deinitialize_Params);
  params.pHostObject = object_;
  api_.host_deinitialize(&params);
}

bool HostProfiler::knows(const std::string& metric) const {
  KERNTUNE_CUPTI_PARAMS(params, CUpti_Profiler_Host_GetMetricProperties_Params);
  params.pHostObject = object_;
  params.pMetricName = metric.c_str();
  return api_.host_properties(&params) == CUPTI_SUCCESS;
}

std::string HostProfiler::unit_of(const std::string& metric) const {
  KERNTUNE_CUPTI_PARAMS(params, CUpti_Profiler_Host_GetMetricProperties_Params);
  params.pHostObject = object_;
  params.pMetricName = metric.c_str();
  check(api_, api_.host_properties(&params), "look up metric '" + metric + "'");
  return params.pDimUnit != nullptr ? params.pDimUnit : "";
}

std::vector<std::string> HostProfiler::base_names() const {
  std::vector<std::string> names;
  for (const CUpti_MetricType type :
       {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO, CUPTI_METRIC_TYPE_THROUGHPUT}) {
    KERNTUNE_CUPTI_PARAMS(params, CUpti_Profiler_Host_GetBaseMetrics_Params);
    params.pHostObject = object_;
    params.metricType = type;
    check(api_, api_.host_metrics(&params), "list a chip's metrics");
    names.insert(names.end(), params.ppMetricNames, params.ppMetricNames + params.numMetrics);
  }
  return names;
}

bool HostProfiler::add(std::span<const std::string> metrics) {
  std::vector<const char*> names = pointers_to(metrics);
  KERNTUNE_CUPTI_PARAMS(params, CUpti_Profiler_Host_ConfigAddMetrics_Params);
  params.pHostObject = object_;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  return api_.host_add(&params) == CUPTI_SUCCESS;
}

std::vector<std::uint8_t> HostProfiler::image() const {
  KERNTUNE_CUPTI_PARAMS(size, CUpti_Profiler_Host_GetConfigImageSize_Params);
  size.pHostObject = object_;
  check(api_, api_.host_image_size(&size), "make a counter configuration");
  std::vector<std::uint8_t> image(size.configImageSize);
  KERNTUNE_CUPTI_PARAMS(params, CUpti_Profiler_Host_GetConfigImage_Params);
  params.pHostObject = object_;
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  check(api_, api_.host_image(&params), "make a counter configuration");
  return image;
}

std::size_t HostProfiler::passes_of(std::vector<std::uint8_t>& image) const {
  KERNTUNE_CUPTI_PARAMS(params, CUpti_Profiler_Host_GetNumOfPasses_Params);
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  check(api_, api_.host_passes(&params), "count the passes of a counter configuration");
  return params.numOfPasses;
}

std::vector<double> HostProfiler::evaluate(std::span<const std::uint8_t> data, std::size_t range,
                                           std::span<const std::string> metrics) const {
  std::vector<const char*> names = pointers_to(metrics);
  std::vector<double> values(metrics.size());
  KERNTUNE_CUPTI_PARAMS(params, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  params.pHostObject = object_;
  params.pCounterDataImage = data.data();
  params.counterDataImageSize = data.size();
  params.rangeIndex = range;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  check(api_, api_.host_evaluate(&params), "evaluate counters");
  return values;
}

}  // namespace kerntune::cupti
