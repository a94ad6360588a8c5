// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <map>
#include <set>

#include "cuda/nvml_facts.hpp"
#include "cuda_fake_fixture.hpp"
#include "cuda_fake_nvml.hpp"

namespace kerntune::cuda {
namespace {

const std::string kUuid = "GPU-1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f";

TEST(NvmlFacts, OfABoardHaveTheirUnits) {
  const auto board = board_facts(fake_nvml(), kUuid);
  ASSERT_TRUE(board);
  EXPECT_EQ(board->pci_bus_id, "00000000:0F:00.0");
  EXPECT_EQ(board->vbios, "96.00.99.00.01");
  EXPECT_EQ(board->power_limit_mw, 600'000) << "what is enforced, not what was asked for";
  EXPECT_EQ(board->power_limit_default_mw, 700'000);
  EXPECT_EQ(board->power_limit_min_mw, 200'000);
  EXPECT_EQ(board->power_limit_max_mw, 700'000);
  EXPECT_EQ(board->sm_clock_max_mhz, 1980);
  EXPECT_EQ(board->memory_clock_max_mhz, 3201);
  EXPECT_EQ(board->temperature_slowdown_c, 92);
  EXPECT_EQ(board->ecc, true);
  EXPECT_EQ(board->mig, false) << "pending is not current";
  EXPECT_EQ(board->persistence_mode, true);
  EXPECT_EQ(board->pcie_generation, 1);
  EXPECT_EQ(board->pcie_generation_max, 5);
  EXPECT_EQ(board->pcie_width, 16);
  EXPECT_EQ(board->pcie_width_max, 16);
  EXPECT_EQ(board->nvlinks_active, 17);
  EXPECT_EQ(board->numa_nodes, "1");
  EXPECT_EQ(board->cpu_affinity, "0,2,4-7,60-65");
}

TEST(NvmlFacts, OfAMomentHaveTheirUnits) {
  const auto state = gpu_state(fake_nvml(), kUuid);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->sm_clock_mhz, 1755);
  EXPECT_EQ(state->memory_clock_mhz, 3201);
  EXPECT_EQ(state->power_mw, 540'300);
  EXPECT_EQ(state->temperature_c, 61);
  EXPECT_EQ(state->gpu_utilization_pct, 97);
  EXPECT_EQ(state->memory_utilization_pct, 0) << "here 0 is a fact";
  ASSERT_TRUE(state->clock_event_reasons);
  EXPECT_THAT(names_of(*state->clock_event_reasons), testing::ElementsAre("sw_power_cap", "sw_thermal_slowdown"));
  EXPECT_EQ(state->sw_power_cap_ns, 74'000'000);
  EXPECT_EQ(state->sw_thermal_slowdown_ns, 251'000'000);
  EXPECT_EQ(state->hw_thermal_slowdown_ns, 252'000'000);
  EXPECT_EQ(state->hw_power_brake_slowdown_ns, 253'000'000);
  EXPECT_EQ(state->pcie_generation, 1);
  EXPECT_EQ(state->pcie_width, 16);
}

TEST(NvmlFacts, AreAbsentWhereTheLibraryLacksThem) {
  NvmlApi bare;
  bare.init = fake_nvml().init;
  bare.device_by_uuid = fake_nvml().device_by_uuid;
  EXPECT_FALSE(board_facts(bare, kUuid));
  EXPECT_FALSE(gpu_state(bare, kUuid));
  EXPECT_TRUE(compute_processes(bare, kUuid).empty());

  bare.power = fake_nvml().power;
  bare.ecc = fake_nvml().ecc;
  const auto state = gpu_state(bare, kUuid);
  ASSERT_TRUE(state);
  GpuState only_power;
  only_power.power_mw = 540'300;
  EXPECT_EQ(*state, only_power);
  BoardFacts only_ecc;
  only_ecc.ecc = true;
  EXPECT_EQ(board_facts(bare, kUuid), only_ecc);
}

TEST(NvmlFacts, AreAbsentWhereTheGpuIsNotKnown) {
  NvmlApi api = fake_nvml();
  api.device_by_uuid = [](const char*, void**) { return kNotFound; };
  EXPECT_FALSE(board_facts(api, kUuid));
  EXPECT_FALSE(gpu_state(api, kUuid));
}

/// A function with any of the table's signatures that fails, after it has written rubbish where it can.
template <class... Arguments>
void make_fail(int (*&function)(Arguments...)) {
  function = [](Arguments... arguments) {
    const auto spoil = [](auto argument) {
      if constexpr (std::is_same_v<decltype(argument), unsigned*> || std::is_same_v<decltype(argument), int*>)
        *argument = 77;
    };
    (spoil(arguments), ...);
    return kGpuIsLost;
  };
}

TEST(NvmlFacts, AreAbsentWhereEveryQuestionFails) {
  NvmlApi api = fake_nvml();
  make_fail(api.pci), make_fail(api.vbios), make_fail(api.enforced_power_limit), make_fail(api.power_limit);
  make_fail(api.default_power_limit), make_fail(api.power_limits), make_fail(api.max_clock), make_fail(api.clock);
  make_fail(api.temperature_threshold), make_fail(api.ecc), make_fail(api.mig), make_fail(api.persistence);
  make_fail(api.pcie_generation), make_fail(api.pcie_width), make_fail(api.max_pcie_generation);
  make_fail(api.max_pcie_width), make_fail(api.nvlink), make_fail(api.memory_affinity), make_fail(api.cpu_affinity);
  make_fail(api.power), make_fail(api.temperature), make_fail(api.old_temperature), make_fail(api.utilization);
  make_fail(api.clock_events), make_fail(api.fields);
  EXPECT_FALSE(board_facts(api, kUuid));
  EXPECT_FALSE(gpu_state(api, kUuid));
}

TEST(NvmlFacts, OfWhichADriverKnowsSomeAreTheOthers) {
  NvmlApi api = fake_nvml();
  make_fail(api.enforced_power_limit), make_fail(api.temperature);
  api.pcie_width = [](void*, unsigned* width) { return *width = UINT_MAX, kNvmlSuccess; };
  api.max_pcie_width = [](void*, unsigned* width) { return *width = 0, kNvmlSuccess; };
  api.nvlink = [](void*, unsigned, int*) { return kNotSupported; };
  api.memory_affinity = [](void*, unsigned, unsigned long*, unsigned) { return kNvmlSuccess; };
  api.fields = [](void*, int, NvmlField* fields) {
    fields[0].type = 1, fields[0].result = kNvmlSuccess, fields[0].value.whole = 7;
    fields[1].type = 0, fields[1].result = kNvmlSuccess, fields[1].value.real = 1.5;  // no nanoseconds
    fields[2].type = 3, fields[2].result = kNotSupported, fields[2].value.long_long_whole = 9;
    return kNvmlSuccess;  // and says nothing of the last
  };
  const auto board = board_facts(api, kUuid);
  const auto state = gpu_state(api, kUuid);
  ASSERT_TRUE(board && state);
  EXPECT_EQ(board->power_limit_mw, 650'000) << "what was asked for, if what is enforced is not told";
  EXPECT_EQ(state->temperature_c, 60) << "the older question";
  EXPECT_FALSE(board->pcie_width || board->pcie_width_max || state->pcie_width);
  EXPECT_FALSE(board->nvlinks_active);
  EXPECT_FALSE(board->numa_nodes);
  EXPECT_EQ(state->sw_power_cap_ns, 7);
  EXPECT_FALSE(state->sw_thermal_slowdown_ns || state->hw_thermal_slowdown_ns || state->hw_power_brake_slowdown_ns);
}

// A GPU in two instances: the driver gives an instance's UUID, NVML knows it as "MIG-...".
int g_instance, g_board;

NvmlApi partitioned() {
  NvmlApi api = fake_nvml();
  api.device_by_uuid = [](const char* uuid, void** device) {
    if (std::string_view(uuid) != "MIG-1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f") return kNotFound;
    *device = &g_instance;
    return kNvmlSuccess;
  };
  api.board_of_mig = [](void* instance, void** board) {
    return instance == &g_instance ? (*board = &g_board, kNvmlSuccess) : kNotSupported;
  };
  api.power = [](void* device, unsigned* mw) {
    return device == &g_board ? (*mw = 123'000, kNvmlSuccess) : kNotSupported;
  };
  api.compute_processes = [](void* device, unsigned* count, NvmlProcess* processes) {
    if (device != &g_instance) return kNotSupported;
    processes[0] = {42, 1, 1, 0};
    *count = 1;
    return kNvmlSuccess;
  };
  return api;
}

TEST(NvmlFacts, OfAnInstanceAreItsBoards) {
  const NvmlApi api = partitioned();
  const auto board = board_facts(api, kUuid);
  const auto state = gpu_state(api, kUuid);
  ASSERT_TRUE(board && state);
  EXPECT_EQ(board->mig, true);
  EXPECT_EQ(state->power_mw, 123'000);
  ASSERT_EQ(compute_processes(api, kUuid).size(), 1U) << "processes are those of the instance";
}

TEST(NvmlFacts, OfAnInstanceWhoseBoardIsHiddenAreItsOwn) {
  NvmlApi api = partitioned();
  api.board_of_mig = nullptr;
  const auto board = board_facts(api, kUuid);
  const auto state = gpu_state(api, kUuid);
  ASSERT_TRUE(board && state);
  EXPECT_EQ(board->mig, true);
  EXPECT_FALSE(state->power_mw);
  EXPECT_EQ(state->sm_clock_mhz, 1755);
}

TEST(NvmlTable, PrefersNewerNamesAndTakesOlderOnes) {
  std::map<std::string, int> library{{"nvmlInit_v2", 0},
                                     {"nvmlDeviceGetCurrentClocksThrottleReasons", 0},
                                     {"nvmlDeviceGetComputeRunningProcesses_v2", 0},
                                     {"nvmlDeviceGetComputeRunningProcesses_v3", 0}};
  std::set<std::string> asked;
  const NvmlApi api = nvml_table([&](const char* name) -> void* {
    asked.insert(name);
    const auto found = library.find(name);
    return found == library.end() ? nullptr : &found->second;
  });
  const auto is = [&](auto function, const char* name) {
    return reinterpret_cast<void*>(function) == &library.at(name);
  };
  EXPECT_TRUE(is(api.init, "nvmlInit_v2"));
  EXPECT_TRUE(is(api.clock_events, "nvmlDeviceGetCurrentClocksThrottleReasons"));
  EXPECT_TRUE(is(api.compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3"));
  EXPECT_EQ(api.ecc, nullptr);
  for (const std::string& name : asked)
    EXPECT_TRUE(name == "nvmlInit_v2" || name.starts_with("nvmlDeviceGet")) << name << " may change something";
}

TEST_F(FakeDeviceTest, ReadsItsBoardAndState) {
  const NvmlApi nvml = fake_nvml();
  std::vector<std::string> unavailable;
  const std::vector<DeviceInfo> listed = list_devices(driver.api(), unavailable, &nvml);
  ASSERT_TRUE(listed.at(0).board);
  EXPECT_EQ(listed[0].board->nvlinks_active, 17);

  const auto opened = open_device(driver.api(), 0, [](const std::string&) { return module_of("engine"); }, &nvml);
  EXPECT_EQ(opened->info().board, listed[0].board);
  ASSERT_TRUE(opened->gpu_state());
  EXPECT_EQ(opened->gpu_state()->temperature_c, 61);
}

TEST_F(FakeDeviceTest, KnowsNothingOfItsBoardWithoutNvml) {
  EXPECT_FALSE(device().info().board);
  EXPECT_FALSE(device().gpu_state());
}

}  // namespace
}  // namespace kerntune::cuda
