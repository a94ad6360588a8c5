// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu_health.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "workers/gpu_fact_fields.hpp"

namespace kerntune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

GpuSnapshot with(const std::string& at, std::uint64_t reasons) {
  GpuSnapshot snapshot{at, {}};
  snapshot.state.clock_event_reasons = ClockEvents{reasons};
  return snapshot;
}

/// A session, its search and its final, between which this counter grew by so many nanoseconds.
GpuSnapshots grown(std::optional<std::int64_t> GpuState::* counter, std::int64_t ns) {
  GpuSnapshots snapshots{{"session", {}}, {"search", {}}, {"final", {}}};
  snapshots[1].state.*counter = 5'000'000'000;  // the first that knows it
  snapshots[2].state.*counter = 5'000'000'000 + ns;
  return snapshots;
}

TEST(ClockEventNames, GoToTextAndBack) {
  const ClockEvents all{0x1FF | 0x4000};
  const std::vector<std::string> names = names_of(all);
  EXPECT_THAT(names, ElementsAre("gpu_idle", "applications_clocks_setting", "sw_power_cap", "hw_slowdown", "sync_boost",
                                 "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown",
                                 "display_clock_setting", "0x4000"));
  EXPECT_EQ(clock_events_from(names), all);
  EXPECT_THAT(names_of({}), IsEmpty());
  EXPECT_EQ(clock_events_from({"of another program"}), ClockEvents{});
}

TEST(GpuHealth, NothingHeldAGpuDownOfWhichNothingIsKnown) {
  EXPECT_EQ(slowed_down({}), "");
  EXPECT_EQ(slowed_down({{"session", {}}, {"final", {}}}), "");
  EXPECT_EQ(power_capped({{"session", {}}, {"final", {}}}, {}), "");
}

TEST(GpuHealth, HeatAndTheHardwareMakeTimesProvisional) {
  for (const auto bit : {ClockEvents::sw_thermal_slowdown, ClockEvents::hw_thermal_slowdown,
                         ClockEvents::hw_power_brake_slowdown, ClockEvents::hw_slowdown}) {
    const std::string why = slowed_down({with("session", 0), with("search", bit), with("final", 1)});
    EXPECT_EQ(why, "the GPU's clocks were held down by " + names_of({bit}).at(0));
  }
}

TEST(GpuHealth, PowerIdlenessAndSettingsDoNot) {
  const std::uint64_t others = ClockEvents::gpu_idle | ClockEvents::applications_clocks_setting |
                               ClockEvents::sw_power_cap | ClockEvents::sync_boost |
                               ClockEvents::display_clock_setting | 0x4000;
  EXPECT_EQ(slowed_down({with("session", others), with("final", others)}), "");
  EXPECT_EQ(slowed_down(grown(&GpuState::sw_power_cap_ns, 1'000'000)), "");
}

TEST(GpuHealth, AClockChangeBeforeTheFirstTimeIsNoSlowdown) {
  EXPECT_EQ(slowed_down({with("session", ClockEvents::hw_slowdown)}), "");
  EXPECT_EQ(slowed_down({with("restart", ClockEvents::hw_slowdown)}), "");
  EXPECT_NE(slowed_down({with("session", ClockEvents::hw_slowdown | ClockEvents::hw_thermal_slowdown)}), "");
}

TEST(GpuHealth, CountersTellWhatHappenedBetweenTheMoments) {
  GpuSnapshots hot = grown(&GpuState::hw_thermal_slowdown_ns, 1'240'000'000);
  hot[1].state.temperature_c = 91, hot[2].state.temperature_c = 80;
  EXPECT_EQ(slowed_down(hot), "the GPU's clocks were held down by hw_thermal_slowdown (1.2 s), at up to 91 C");
  EXPECT_EQ(slowed_down(grown(&GpuState::sw_thermal_slowdown_ns, 20'000'000)),
            "the GPU's clocks were held down by sw_thermal_slowdown (20 ms)");
  EXPECT_THAT(slowed_down(grown(&GpuState::hw_power_brake_slowdown_ns, 1)), HasSubstr("hw_power_brake_slowdown"));
}

TEST(GpuHealth, WhatACounterHeldBeforeTheSessionIsNotItsConcern) {
  EXPECT_EQ(slowed_down(grown(&GpuState::hw_thermal_slowdown_ns, 0)), "");
  EXPECT_EQ(slowed_down(grown(&GpuState::hw_thermal_slowdown_ns, -1)), "") << "a driver that was loaded again";
}

TEST(GpuHealth, APowerCapIsSaidWithItsLimit) {
  BoardFacts board;
  board.power_limit_mw = 700'000;
  EXPECT_EQ(power_capped(grown(&GpuState::sw_power_cap_ns, 12'100'000'000), board),
            "the power limit of 700 W held the clocks down (sw_power_cap for 12.1 s)");
  EXPECT_EQ(power_capped({with("search", ClockEvents::sw_power_cap)}, std::nullopt),
            "the power limit held the clocks down (sw_power_cap)");
  EXPECT_EQ(power_capped({with("search", ClockEvents::hw_slowdown)}, board), "");
}

BoardFacts good_board() {
  BoardFacts board;
  board.power_limit_mw = board.power_limit_default_mw = 700'000;
  board.ecc = true, board.mig = false;
  board.pcie_generation = 1, board.pcie_generation_max = 5;
  board.pcie_width = board.pcie_width_max = 16;
  board.temperature_slowdown_c = 92;
  return board;
}

GpuSnapshots under_load(std::int64_t generation, std::int64_t temperature_c) {
  GpuSnapshot idle{"session", {}}, busy{"search", {}};
  idle.state.pcie_generation = 1;
  busy.state.pcie_generation = generation;
  busy.state.temperature_c = temperature_c;
  return {idle, busy, idle};
}

TEST(GpuHealth, AGpuAsItShouldBeIsNotTalkedOf) {
  EXPECT_THAT(unusual(good_board(), under_load(5, 61)), IsEmpty()) << "an idle link is slowed down";
  EXPECT_THAT(unusual({}, {}), IsEmpty()) << "nor one of which nothing is known";
}

TEST(GpuHealth, WhatIsUnusualIsSaid) {
  EXPECT_THAT(unusual(good_board(), under_load(3, 61)),
              ElementsAre(HasSubstr("PCIe ran as generation 3 x16, at most generation 5 x16")));
  EXPECT_THAT(unusual(good_board(), under_load(5, 87)), ElementsAre("the GPU reached 87 C; it slows down at 92 C"));
  BoardFacts board = good_board();
  board.power_limit_mw = 450'000;
  board.ecc = false, board.mig = true;
  board.pcie_width = 8;
  EXPECT_THAT(
      unusual(board, under_load(5, 61)),
      ElementsAre(HasSubstr("generation 5 x8"), HasSubstr("the power limit is 450 W, the board's default is 700 W"),
                  HasSubstr("MIG is on"), HasSubstr("ECC is off")));
}

TEST(GpuFactsAsJson, GoThereAndBack) {
  using nlohmann::json;
  const BoardFacts board = good_board();
  EXPECT_EQ(gpu_json::from<BoardFacts>(gpu_json::object<json>(board)), board);
  GpuState state;
  state.temperature_c = -3;
  state.memory_utilization_pct = 0;
  state.clock_event_reasons = ClockEvents{0x4004};
  const json text = gpu_json::object<json>(state);
  EXPECT_TRUE(text.at("power_mw").is_null());
  EXPECT_EQ(text.at("memory_utilization_pct"), 0);
  EXPECT_EQ(gpu_json::from<GpuState>(text), state);
  EXPECT_EQ(gpu_json::from<GpuState>(json::object()), GpuState{}) << "of a program that knew none of it";
}

}  // namespace
}  // namespace kerntune
