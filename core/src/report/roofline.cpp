// SPDX-License-Identifier: Apache-2.0
// The roofline model: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.
#include <kerntune/core/report.hpp>

namespace kerntune::report {

Roofline roofline(double time_ns, std::optional<double> flop, std::optional<double> bytes, const DeviceInfo& device) {
  Roofline result;
  if (!(time_ns > 0)) return result;
  const double seconds = time_ns * 1e-9;
  if (flop && *flop > 0) result.flop_per_s = *flop / seconds;
  if (bytes && *bytes > 0) result.bytes_per_s = *bytes / seconds;
  if (result.flop_per_s && device.peak_flop_per_s_f32 > 0)
    result.compute_fraction = *result.flop_per_s / device.peak_flop_per_s_f32;
  if (result.bytes_per_s && device.peak_bytes_per_s > 0)
    result.memory_fraction = *result.bytes_per_s / device.peak_bytes_per_s;
  const double compute = result.compute_fraction.value_or(0);
  const double memory = result.memory_fraction.value_or(0);
  if (compute <= 0 && memory <= 0) return result;
  result.limit = compute >= memory ? Roofline::Limit::compute : Roofline::Limit::memory;
  result.fraction = std::max(compute, memory);
  return result;
}

}  // namespace kerntune::report
