// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kerntune::cuda::emulation {

/// What the multiprocessors' clock shows.
inline unsigned long long cycles = 0;

/// Runs one of the engine's kernels on host memory, thread after thread. False if it is none of them, or the blocker.
bool run(const std::string& name, unsigned blocks, unsigned threads, void** arguments);

}  // namespace kerntune::cuda::emulation
