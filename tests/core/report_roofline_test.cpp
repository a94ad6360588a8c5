// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <kerntune/core/report.hpp>

namespace kerntune::report {
namespace {

DeviceInfo device_with(double bytes_per_s, double flop_per_s) {
  DeviceInfo device;
  device.peak_bytes_per_s = bytes_per_s;
  device.peak_flop_per_s_f32 = flop_per_s;
  return device;
}

TEST(Roofline, ShowsTheNearerLimit) {
  // 1 us: 1e6 flop are 1e12 flop/s of 2e12; 1e6 bytes are 1e12 B/s of 4e12.
  const Roofline r = roofline(1000, 1e6, 1e6, device_with(4e12, 2e12));
  EXPECT_EQ(r.limit, Roofline::Limit::compute);
  EXPECT_DOUBLE_EQ(r.fraction, 0.5);
  EXPECT_DOUBLE_EQ(r.memory_fraction.value(), 0.25);
}

TEST(Roofline, FindsTheMemoryLimit) {
  const Roofline r = roofline(1000, 1e5, 1e6, device_with(2e12, 2e12));
  EXPECT_EQ(r.limit, Roofline::Limit::memory);
  EXPECT_DOUBLE_EQ(r.fraction, 0.5);
}

TEST(Roofline, SaysThatALimitIsUnknown) {
  const Roofline r = roofline(1000, 1e6, 1e6, DeviceInfo{});
  EXPECT_EQ(r.limit, Roofline::Limit::unknown);
  EXPECT_DOUBLE_EQ(r.flop_per_s.value(), 1e12);
  EXPECT_FALSE(r.compute_fraction.has_value());
}

TEST(Roofline, SaysNothingWithoutWorkOrTime) {
  EXPECT_FALSE(roofline(1000, {}, {}, device_with(1, 1)).flop_per_s.has_value());
  EXPECT_FALSE(roofline(0, 1e6, 1e6, device_with(1, 1)).flop_per_s.has_value());
}

}  // namespace
}  // namespace kerntune::report
