// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cupti_api.hpp"

namespace kerntune::cupti {

/// The chips that the host library knows, "GH100" among them. Needs no GPU.
std::vector<std::string> supported_chips(const CuptiApi& api);

/// A metric as it is counted on a chip.
struct PlannedMetric {
  std::string wished;
  std::string counted_as;  // the same, or the alias that this chip knows
  std::string unit;
};

/// What is counted together, how often the work must run for it, and the image that tells the hardware.
struct Plan {
  std::string chip;
  std::vector<PlannedMetric> metrics;  // that will be counted, by priority
  std::vector<std::string> missing;    // that the chip does not have, under any name
  std::vector<std::string> dropped;    // that would have needed more passes
  std::size_t passes = 0;
  std::vector<std::uint8_t> image;  // CUPTI's "config image"; empty if nothing is counted
};

/// A wish and how much it may cost.
struct PlanRequest {
  std::string chip;
  std::vector<std::string> wishes;  // by priority, the most important first
  std::size_t max_passes = 1;       // 0: as many as it takes
  /// What the device at hand really offers (a GPU slice has less than its chip): CUPTI's counter availability image.
  /// Empty: all that the chip has, for planning without a device.
  std::vector<std::uint8_t> availability;
  bool strict = false;  // a metric that the chip lacks is an error instead of `missing`
};

/// Plans with CUPTI's own scheduler, which needs no GPU: everything if it fits, else greedily by priority.
/// Errors: UsageError for a metric that no chip has ever had or, if strict, that this one lacks, with the nearest
/// names; CuptiError.
Plan plan_passes(const CuptiApi& api, const PlanRequest& request);

/// A chip's metrics and their values, on the host. Used by one thread.
class HostProfiler {
 public:
  /// Borrows `api`. Errors: UsageError for a chip that the library does not know; CuptiError.
  HostProfiler(const CuptiApi& api, const std::string& chip, std::span<const std::uint8_t> availability);
  ~HostProfiler();
  HostProfiler(const HostProfiler&) = delete;
  HostProfiler& operator=(const HostProfiler&) = delete;

  bool knows(const std::string& metric) const;
  /// CUPTI's dimension of a metric that is known; "" if it has none.
  std::string unit_of(const std::string& metric) const;
  /// Base names (before the first dot) of everything that the chip counts.
  std::vector<std::string> base_names() const;
  /// Adds to what the image will count. False if CUPTI refuses the combination.
  bool add(std::span<const std::string> metrics);
  std::vector<std::uint8_t> image() const;
  std::size_t passes_of(std::vector<std::uint8_t>& image) const;
  /// Values of one range of a decoded counter data image, in the order of `metrics`.
  std::vector<double> evaluate(std::span<const std::uint8_t> data, std::size_t range,
                               std::span<const std::string> metrics) const;

 private:
  const CuptiApi& api_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

}  // namespace kerntune::cupti
