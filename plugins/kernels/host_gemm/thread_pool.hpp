// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace host_gemm {

/// Runs one fixed function on a fixed number of threads, the caller's included, again and again. Threads sleep between
/// runs: a kernel under tuning must not burn the cores that others are measured on.
/// Threads: run() from one thread at a time.
class ThreadPool {
 public:
  /// Requires: threads >= 1. `body` must not throw. Errors: std::system_error if a thread cannot be made.
  ThreadPool(int threads, std::function<void()> body);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() { stop(); }

  /// Returns when every thread has returned from the body.
  void run();

 private:
  void work();
  void stop() noexcept;

  std::function<void()> body_;
  std::atomic<std::uint32_t> round_ = 0;    // grows by one per run, and once to stop
  std::atomic<std::uint32_t> running_ = 0;  // workers that have not finished this round
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace host_gemm
