// SPDX-License-Identifier: Apache-2.0
#include "range_profiler.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kerntune::cupti {
namespace {

constexpr const char* kDoing = "take counters";

void begin_range(const CuptiApi& api, CUpti_RangeProfiler_Object* object, const std::string& name) {
  KERNTUNE_CUPTI_PARAMS(params, CUpti_RangeProfiler_PushRange_Params);
  params.pRangeProfilerObject = object;
  params.pRangeName = name.c_str();
  check(api, api.range_push(&params), kDoing);
}

void end_range(const CuptiApi& api, CUpti_RangeProfiler_Object* object) {
  KERNTUNE_CUPTI_PARAMS(params, CUpti_RangeProfiler_PopRange_Params);
  params.pRangeProfilerObject = object;
  check(api, api.range_pop(&params), kDoing);
}

std::vector<std::string> counted_names(const Plan& plan) {
  std::vector<std::string> names;
  for (const PlannedMetric& metric : plan.metrics) names.push_back(metric.counted_as);
  return names;
}

void add_unread(const std::vector<std::string>& names, Reading::Status status, std::vector<Reading>& readings) {
  for (const std::string& name : names) {
    Reading& reading = readings.emplace_back();
    reading.metric = name;
    reading.status = status;
  }
}

Counters counters_of(const CuptiApi& api, const CountingPlan& counted, const std::vector<std::string>& names,
                     const std::vector<std::uint8_t>& data, std::size_t range) {
  const Plan& plan = counted.plan;
  Counters counters{.chip = plan.chip,
                    .cupti = api.version,
                    .set = std::string(counted.set_name),
                    .passes = plan.passes,
                    .readings = {}};
  const std::vector<double> values = counted.host.evaluate(data, range, names);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const PlannedMetric& metric = plan.metrics[i];
    Reading& reading = counters.readings.emplace_back();
    reading.metric = metric.wished;
    if (metric.counted_as != metric.wished) reading.counted_as = metric.counted_as;
    reading.unit = metric.unit;
    reading.value = std::isfinite(values[i]) ? values[i] : 0;
    reading.status = std::isfinite(values[i]) ? Reading::Status::ok : Reading::Status::invalid;
  }
  add_unread(plan.missing, Reading::Status::missing, counters.readings);
  add_unread(plan.dropped, Reading::Status::dropped, counters.readings);
  return counters;
}

}  // namespace

RangeProfiler::RangeProfiler(const CuptiApi& api, CUcontext context) : api_(api) {
  KERNTUNE_CUPTI_PARAMS(initialize, CUpti_Profiler_Initialize_Params);
  check(api, api.initialize(&initialize), "start the profiler");  // once per process; repeating it does nothing
  KERNTUNE_CUPTI_PARAMS(params, CUpti_RangeProfiler_Enable_Params);
  params.ctx = context;
  check(api, api.range_enable(&params), "enable the profiler");
  object_ = params.pRangeProfilerObject;
}

RangeProfiler::~RangeProfiler() {
  KERNTUNE_CUPTI_PARAMS(params, CUpti_RangeProfiler_Disable_Params);
  params.pRangeProfilerObject = object_;
  api_.range_disable(&params);
}

void RangeProfiler::configure(const Plan& plan, const std::vector<std::string>& metrics,
                              std::vector<std::uint8_t>& data, std::size_t ranges) {
  std::vector<const char*> names;
  for (const std::string& metric : metrics) names.push_back(metric.c_str());
  KERNTUNE_CUPTI_PARAMS(size, CUpti_RangeProfiler_GetCounterDataSize_Params);
  size.pRangeProfilerObject = object_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = ranges;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
  check(api_, api_.range_data_size(&size), "make room for counters");
  data.resize(size.counterDataSize);
  KERNTUNE_CUPTI_PARAMS(initialize, CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  initialize.pRangeProfilerObject = object_;
  initialize.counterDataSize = data.size();
  initialize.pCounterData = data.data();
  check(api_, api_.range_data_initialize(&initialize), "make room for counters");
  KERNTUNE_CUPTI_PARAMS(params, CUpti_RangeProfiler_SetConfig_Params);
  params.pRangeProfilerObject = object_;
  params.configSize = plan.image.size();
  params.pConfig = plan.image.data();
  params.counterDataImageSize = data.size();
  params.pCounterDataImage = data.data();
  params.range = CUPTI_UserRange;
  params.replayMode = CUPTI_UserReplay;
  params.maxRangesPerPass = ranges;
  params.numNestingLevels = 1;
  params.minNestingLevel = 1;
  params.passIndex = 0;
  params.targetNestingLevel = 1;
  check(api_, api_.range_configure(&params), "configure the counters");
}

std::vector<Counters> RangeProfiler::collect(const CountingPlan& counted, std::size_t ranges,
                                             const std::function<void(std::size_t)>& prepare,
                                             const std::function<void(std::size_t)>& run) {
  const std::vector<std::string> names = counted_names(counted.plan);
  if (ranges == 0 || names.empty()) return std::vector<Counters>(ranges);
  std::vector<std::uint8_t> data;
  configure(counted.plan, names, data, ranges);
  bool all_passes = false;
  for (std::size_t pass = 0; pass < counted.plan.passes && !all_passes; ++pass) {
    KERNTUNE_CUPTI_PARAMS(start, CUpti_RangeProfiler_Start_Params);
    start.pRangeProfilerObject = object_;
    check(api_, api_.range_start(&start), "start counting");
    for (std::size_t i = 0; i < ranges; ++i) {
      prepare(i);
      begin_range(api_, object_, fmt::format("{}", i));
      run(i);
      end_range(api_, object_);
    }
    KERNTUNE_CUPTI_PARAMS(stop, CUpti_RangeProfiler_Stop_Params);
    stop.pRangeProfilerObject = object_;
    check(api_, api_.range_stop(&stop), "stop counting");
    all_passes = stop.isAllPassSubmitted != 0;
  }
  if (!all_passes)
    throw CuptiError(api_, CUPTI_ERROR_HARDWARE,
                     fmt::format("count: the profiler wants more than the {} passes of the plan", counted.plan.passes));
  KERNTUNE_CUPTI_PARAMS(decode, CUpti_RangeProfiler_DecodeData_Params);
  decode.pRangeProfilerObject = object_;
  check(api_, api_.range_decode(&decode), "read the counters");
  KERNTUNE_CUPTI_PARAMS(info, CUpti_RangeProfiler_GetCounterDataInfo_Params);
  info.pCounterDataImage = data.data();
  info.counterDataImageSize = data.size();
  check(api_, api_.range_data_info(&info), "read the counters");
  if (info.numTotalRanges != ranges || decode.numOfRangeDropped != 0)
    throw CuptiError(api_, CUPTI_ERROR_HARDWARE,
                     fmt::format("read the counters: {} of {} ranges came back, {} were dropped", info.numTotalRanges,
                                 ranges, decode.numOfRangeDropped));
  std::vector<Counters> all;
  for (std::size_t i = 0; i < ranges; ++i) all.push_back(counters_of(api_, counted, names, data, i));
  return all;
}

std::vector<std::uint8_t> counter_availability(const CuptiApi& api, CUcontext context) {
  KERNTUNE_CUPTI_PARAMS(params, CUpti_Profiler_GetCounterAvailability_Params);
  params.ctx = context;
  check(api, api.availability(&params), "ask which counters the device has");
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  check(api, api.availability(&params), "ask which counters the device has");
  image.resize(params.counterAvailabilityImageSize);
  return image;
}

}  // namespace kerntune::cupti
