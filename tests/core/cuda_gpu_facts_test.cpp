// SPDX-License-Identifier: Apache-2.0
// What NVML says of a real GPU. The tests print it; limits are wide: they are about wrong units, fields and layouts.
#include <chrono>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "cuda/nvml_facts.hpp"
#include "cuda_gpu_fixture.hpp"
#include "workers/gpu_fact_fields.hpp"

namespace kerntune::cuda {
namespace {

class GpuFacts : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped() || HasFatalFailure() || nvml_api() != nullptr) return;
    if (testing_support::gpu_is_required()) FAIL() << "there is a GPU, but no usable libnvidia-ml.so.1";
    GTEST_SKIP() << "there is a GPU, but no usable libnvidia-ml.so.1";
  }
};

/// Where both are known.
void expect_at_most(const char* what, const std::optional<std::int64_t>& value,
                    const std::optional<std::int64_t>& most) {
  if (value && most) {
    EXPECT_LE(*value, *most) << what;
  }
}

void expect_between(const char* what, const std::optional<std::int64_t>& value, std::int64_t low, std::int64_t high) {
  if (!value) return;
  EXPECT_GE(*value, low) << what;
  EXPECT_LE(*value, high) << what;
}

TEST_F(GpuFacts, OfTheBoardArePlausible) {
  const auto& board = device().info().board;
  ASSERT_TRUE(board) << "NVML does not know " << device().info().uuid;
  std::printf("  %s\n", gpu_json::object<nlohmann::ordered_json>(*board).dump().c_str());
  ASSERT_TRUE(board->pci_bus_id);
  EXPECT_THAT(*board->pci_bus_id, testing::MatchesRegex("[0-9A-Fa-f]+:[0-9A-Fa-f]+:[0-9A-Fa-f]+\\.[0-9]"));
  expect_between("power limit", board->power_limit_mw, 5'000, 3'000'000);
  expect_between("default power limit", board->power_limit_default_mw, 5'000, 3'000'000);
  expect_at_most("power limits", board->power_limit_min_mw, board->power_limit_max_mw);
  expect_between("clock", board->sm_clock_max_mhz, 500, 5'000);
  expect_between("memory clock", board->memory_clock_max_mhz, 300, 20'000);
  expect_between("slowdown", board->temperature_slowdown_c, 60, 130);
  expect_between("PCIe generation", board->pcie_generation_max, 1, 8);
  expect_between("PCIe width", board->pcie_width_max, 1, 32);
  expect_at_most("PCIe generation", board->pcie_generation, board->pcie_generation_max);
  expect_at_most("PCIe width", board->pcie_width, board->pcie_width_max);
  expect_between("NVLinks", board->nvlinks_active, 0, 18);
}

TEST_F(GpuFacts, OfAMomentArePlausible) {
  const auto begin = std::chrono::steady_clock::now();
  const auto state = device().gpu_state();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(state) << "NVML says nothing of " << device().info().uuid;
  std::printf("  %s in %.2f ms\n", gpu_json::object<nlohmann::ordered_json>(*state).dump().c_str(), took.count());
  expect_between("clock", state->sm_clock_mhz, 100, 5'000);
  expect_between("power", state->power_mw, 1'000, 3'000'000);
  expect_between("temperature", state->temperature_c, 5, 125);
  expect_between("utilization", state->gpu_utilization_pct, 0, 100);
  expect_between("memory utilization", state->memory_utilization_pct, 0, 100);
  for (const auto counter : {&GpuState::sw_power_cap_ns, &GpuState::sw_thermal_slowdown_ns,
                             &GpuState::hw_thermal_slowdown_ns, &GpuState::hw_power_brake_slowdown_ns})
    expect_between("counter", (*state).*counter, 0, std::int64_t{1} << 60);
}

TEST_F(GpuFacts, OfAMomentHaveCountersThatDoNotRunBackwards) {
  const auto first = device().gpu_state(), second = device().gpu_state();
  ASSERT_TRUE(first && second);
  for (const auto counter : {&GpuState::sw_power_cap_ns, &GpuState::sw_thermal_slowdown_ns,
                             &GpuState::hw_thermal_slowdown_ns, &GpuState::hw_power_brake_slowdown_ns}) {
    const auto before = (*first).*counter, after = (*second).*counter;
    EXPECT_EQ(before.has_value(), after.has_value());
    expect_at_most("counter", before, after);
  }
}

}  // namespace
}  // namespace kerntune::cuda
