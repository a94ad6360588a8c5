// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/catalogue.hpp>

#include "command.hpp"

namespace kerntune::app {
namespace {

class DevicesCommand final : public Command {
 public:
  Verb describe() override {
    return {
        .name = "devices",
        .summary = "List the devices of this machine and what is missing",
        .description =
            R"(Every device that --device accepts here, with its device key (the hardware class under which results are stored and
asked for) and its limits. What cannot be used is listed with the reason.)",
        .examples = {{"kerntune devices", "What is there"},
                     {"kerntune devices --json | jq -r '.devices[0].device_key'", "A key for query --device-key"}},
        .units = "Bytes are binary (KiB = 1024); bandwidth and FLOP/s are decimal (GB/s = 10^9 B/s).",
    };
  }

  ExitCode run(const Console& console) override {
    const DeviceList list = devices_from_worker();
    print(console.json ? report::devices_json(list) : report::devices_text(list, console.out));
    return list.devices.empty() ? ExitCode::nothing_usable : ExitCode::done;
  }
};

}  // namespace

std::unique_ptr<Command> make_devices_command() { return std::make_unique<DevicesCommand>(); }

}  // namespace kerntune::app
