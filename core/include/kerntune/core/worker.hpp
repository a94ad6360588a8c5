// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include <kerntune/core/device.hpp>

namespace kerntune {

/// True if this process was started as a worker: main() must then do nothing but return worker_main(argc, argv).
bool is_worker(int argc, char** argv);

/// Runs a describe, compile or device worker until its supervisor closes the channel. Any program whose process calls
/// tune(), describe() or run_config() is its own worker and needs this at the top of main().
int worker_main(int argc, char** argv);

/// Opens a device in a device worker, as open_device() does.
using DeviceOpener = std::unique_ptr<Device> (*)(std::string_view id);
/// The same with other devices than this machine's: for tests, and for programs that bring their own.
int worker_main(int argc, char** argv, DeviceOpener open);

}  // namespace kerntune
