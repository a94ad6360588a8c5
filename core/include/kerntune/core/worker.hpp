// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kerntune {

/// True if this process was started as a worker: main() must then do nothing but return worker_main(argc, argv).
bool is_worker(int argc, char** argv);

/// Runs a describe, compile or device worker until its supervisor closes the channel. Any program whose process calls
/// tune(), describe() or run_config() is its own worker and needs this at the top of main().
int worker_main(int argc, char** argv);

}  // namespace kerntune
