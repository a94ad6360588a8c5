// SPDX-License-Identifier: Apache-2.0
#include "host/disturbance.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace kerntune {
namespace {

/// More would only cost: two CPUs that are taken away and given back are enough to reorder what can be reordered.
constexpr unsigned kMostThreads = 8;

}  // namespace

Disturbance::Disturbance() {
  const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  try {
    for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this, i] { disturb(i); });
  } catch (const std::system_error&) {  // no more threads here: fewer disturb
  }
}

Disturbance::~Disturbance() {
  over_ = true;
  for (std::thread& thread : threads_) thread.join();
}

/// Turns of 20 to 160 us, of other lengths on each thread.
void Disturbance::disturb(unsigned which) const noexcept {
  unsigned turn = which * 7;
  while (!over_.load(std::memory_order_relaxed)) {
    const auto length = std::chrono::microseconds(20 * (1 + ++turn % 8));
    const auto until = std::chrono::steady_clock::now() + length;
    while (std::chrono::steady_clock::now() < until && !over_.load(std::memory_order_relaxed)) {
    }
    std::this_thread::sleep_for(length / 4);
  }
}

}  // namespace kerntune
