// SPDX-License-Identifier: Apache-2.0
#include "thread_pool.hpp"

#include <utility>

namespace host_gemm {

ThreadPool::ThreadPool(int threads, std::function<void()> body) : body_(std::move(body)) {
  try {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (...) {
    stop();
    throw;
  }
}

void ThreadPool::run() {
  running_.store(static_cast<std::uint32_t>(workers_.size()));
  ++round_;
  round_.notify_all();
  body_();
  for (auto left = running_.load(); left != 0; left = running_.load()) running_.wait(left);
}

void ThreadPool::work() {
  for (std::uint32_t seen = 0;; ++seen) {
    round_.wait(seen);  // run() waits for everyone, so rounds are never skipped
    if (stopping_.load()) return;
    body_();
    if (--running_ == 0) running_.notify_one();
  }
}

void ThreadPool::stop() noexcept {
  stopping_.store(true);
  ++round_;
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

}  // namespace host_gemm
