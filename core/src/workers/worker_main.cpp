// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/worker.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "process/worker_process.hpp"
#include "workers/workers.hpp"

namespace kerntune {

bool is_worker(int argc, char** argv) { return argc == 4 && argv[1] == process::kWorkerFlag; }

int worker_main(int argc, char** argv) { return worker_main(argc, argv, open_device); }

int worker_main(int /*argc*/, char** argv, DeviceOpener open) {
  process::enter_worker(static_cast<pid_t>(std::atol(argv[3])));
  const std::string_view kind = argv[2];
  process::WorkerChannel channel(process::kWorkerChannelFd);
  try {
    if (kind == "describe")
      describe_worker(channel);
    else if (kind == "compile")
      compile_worker(channel);
    else if (kind == "device")
      device_worker(channel, open);
    else
      std::fprintf(stderr, "unknown kind of worker: %s\n", argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::fflush(stderr);
    std::_Exit(1);
  }
  // Plugins and drivers may hang or crash in their destructors; nothing here needs them.
  std::fflush(nullptr);
  std::_Exit(0);
}

}  // namespace kerntune
