// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <kerntune/core/device.hpp>
#include <kerntune/search/rng.hpp>

namespace kerntune::test {

/// A configuration of a FakeSession: its true time and how noisy its launches are (relative, uniform).
struct FakeKernel final : Prepared {
  FakeKernel(double time, double spread) : time_ns(time), noise(spread) {}
  const Facts& facts() const noexcept override { return fact_map; }
  double time_ns;
  double noise;
  int fail_after = -1;  // launches until it is refused; -1: never
  int recorded = -1;    // launches after which there are no more samples; -1: no end
  double first = 1;     // what the first launches take, in units of the others
  int first_launches = 1;
  int launches = 0;
  Facts fact_map;
};

/// A session over kernels with known times, for races and finals without a device. Launches may drift, all alike.
class FakeSession final : public Session {
 public:
  explicit FakeSession(std::uint64_t seed, double drift_per_launch = 0) : rng_(seed), growth_(1 + drift_per_launch) {}

  tl::expected<std::unique_ptr<Prepared>, Rejection> prepare(const search::Config&,
                                                             const std::vector<CompiledModule>&) override {
    return tl::unexpected(Rejection{Reason::unsupported, "a fake is made by hand"});
  }
  tl::expected<Timing, Rejection> time(Prepared& prepared, int /*warmup*/, int count) override {
    auto& kernel = static_cast<FakeKernel&>(prepared);
    Timing timing;
    for (int i = 0; i < count; ++i) {
      if (kernel.fail_after >= 0 && kernel.launches >= kernel.fail_after) {
        return tl::unexpected(Rejection{Reason::launch_error, "refused"});
      }
      timing.exhausted = kernel.launches == kernel.recorded;
      if (timing.exhausted) break;
      const double factor = kernel.launches < kernel.first_launches ? kernel.first : 1;
      ++kernel.launches;
      drift_ *= growth_;
      timing.samples_ns.push_back(factor * kernel.time_ns * drift_ * (1 + kernel.noise * (rng_.unit() - 0.5)));
    }
    timing.launches = static_cast<std::int64_t>(timing.samples_ns.size());
    return timing;
  }
  tl::expected<Verification, Rejection> verify(Prepared&, std::uint64_t seed) override {
    Verification verification;
    verification.seeds = {seed};
    verification.elements = verification.runs = 1;
    return verification;
  }
  std::string_view verified_by() const noexcept override { return "reference"; }
  bool context_lost() const noexcept override { return false; }

 private:
  search::Rng rng_;
  double growth_;
  double drift_ = 1;
};

}  // namespace kerntune::test
