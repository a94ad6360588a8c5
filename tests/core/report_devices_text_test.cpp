// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <kerntune/core/report.hpp>

namespace kerntune::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

DeviceList one_gpu(const std::optional<BoardFacts>& board) {
  DeviceList list;
  DeviceInfo& device = list.devices.emplace_back();
  device.kind = DeviceKind::cuda;
  device.id = "cuda:0";
  device.name = "Imaginary H1";
  device.board = board;
  return list;
}

TEST(DevicesText, ShowsTheBoard) {
  BoardFacts board;
  board.pci_bus_id = "00000000:0F:00.0", board.vbios = "96.00";
  board.power_limit_mw = 600'000, board.power_limit_default_mw = 700'000;
  board.power_limit_min_mw = 200'000, board.power_limit_max_mw = 700'000;
  board.sm_clock_max_mhz = 1980, board.memory_clock_max_mhz = 3201;
  board.pcie_generation = board.pcie_generation_max = 5;
  board.pcie_width = 8, board.pcie_width_max = 16;
  board.nvlinks_active = 0;
  board.ecc = false, board.mig = false;
  board.numa_nodes = "1", board.cpu_affinity = "0-31";
  EXPECT_THAT(devices_text(one_gpu(board), {}),
              HasSubstr("  board         PCI 00000000:0F:00.0, VBIOS 96.00\n"
                        "  power         limit 600 W, default 700 W, may be 200 W to 700 W\n"
                        "  clocks        up to 1980 MHz, memory 3201 MHz\n"
                        "  PCIe          generation 5 x8 now, at most generation 5 x16\n"
                        "  NVLink        0 links active\n"
                        "  modes         ECC off, MIG off\n"
                        "  near          NUMA node 1, CPUs 0-31\n"));
}

TEST(DevicesText, LeavesOutWhatIsNotKnownOfABoard) {
  BoardFacts board;
  board.pcie_generation_max = 4;
  const std::string text = devices_text(one_gpu(board), {});
  EXPECT_THAT(text, HasSubstr("  PCIe          at most generation 4\n"));
  for (const char* line : {"board", "power", "clocks", "NVLink", "modes", "near"})
    EXPECT_THAT(text, Not(HasSubstr(line)));
  EXPECT_THAT(devices_text(one_gpu(std::nullopt), {}), Not(HasSubstr("PCIe")));
}

}  // namespace
}  // namespace kerntune::report
