// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace kerntune {

/// While it lives, threads on every usable CPU compute and sleep by turns, so that the threads of a kernel are
/// interrupted at other places than without: what depends on their order then shows. Errors: none; where threads
/// cannot be had there is no disturbance.
class Disturbance {
 public:
  Disturbance();
  ~Disturbance();
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;

 private:
  void disturb(unsigned which) const noexcept;

  std::atomic<bool> over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kerntune
