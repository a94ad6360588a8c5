// SPDX-License-Identifier: Apache-2.0
#include "process/status_page.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kerntune/core/errors.hpp>

namespace kerntune::process {
namespace {

/// steady_clock is the system's monotonic clock: the same for all processes.
std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

struct StatusPage::Shared {
  std::atomic<std::int64_t> begun_ns;  // 0: at nothing
  std::atomic<std::int64_t> allowed_ns;
  std::atomic<std::uint64_t> item;
  std::atomic<std::uint32_t> phase;
};

StatusPage::StatusPage(UniqueFd fd, Shared* shared) noexcept : fd_(std::move(fd)), shared_(shared) {}

StatusPage StatusPage::create() {
  UniqueFd fd(::memfd_create("kerntune-status", MFD_CLOEXEC));
  if (!fd || ::ftruncate(fd.get(), sizeof(Shared)) != 0)
    throw Error(fmt::format("start a worker process: make its status page: {}", std::strerror(errno)));
  StatusPage page = attach(fd.get());
  page.fd_ = std::move(fd);
  return page;
}

StatusPage StatusPage::attach(int fd) {
  static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free,
                "shared between processes");
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) throw Error(fmt::format("map a worker's status page: {}", std::strerror(errno)));
  return {UniqueFd(), static_cast<Shared*>(memory)};  // zeros are a page at rest
}

StatusPage::StatusPage(StatusPage&& other) noexcept
    : fd_(std::move(other.fd_)), shared_(std::exchange(other.shared_, nullptr)) {}

StatusPage& StatusPage::operator=(StatusPage&& other) noexcept {
  if (this == &other) return *this;
  if (shared_ != nullptr) ::munmap(shared_, sizeof(Shared));
  fd_ = std::move(other.fd_);
  shared_ = std::exchange(other.shared_, nullptr);
  return *this;
}

StatusPage::~StatusPage() {
  if (shared_ != nullptr) ::munmap(shared_, sizeof(Shared));
}

void StatusPage::begin(std::uint64_t item, Phase phase, double allowed_s) noexcept {
  constexpr double kMostSeconds = 1e9;  // so that the product below fits
  rest();
  shared_->item.store(item, std::memory_order_relaxed);
  shared_->phase.store(static_cast<std::uint32_t>(phase), std::memory_order_relaxed);
  shared_->allowed_ns.store(static_cast<std::int64_t>(std::clamp(allowed_s, 0.0, kMostSeconds) * 1e9),
                            std::memory_order_relaxed);
  shared_->begun_ns.store(now_ns(), std::memory_order_release);
}

void StatusPage::rest() noexcept { shared_->begun_ns.store(0, std::memory_order_release); }

std::optional<StatusPage::Step> StatusPage::step() const noexcept {
  const std::int64_t begun_ns = shared_->begun_ns.load(std::memory_order_acquire);
  if (begun_ns <= 0) return std::nullopt;
  Step step;
  step.item = shared_->item.load(std::memory_order_relaxed);
  step.phase = static_cast<Phase>(shared_->phase.load(std::memory_order_relaxed));
  step.running_s = static_cast<double>(now_ns() - begun_ns) * 1e-9;
  step.allowed_s = static_cast<double>(shared_->allowed_ns.load(std::memory_order_relaxed)) * 1e-9;
  return step;
}

const char* text_of(StatusPage::Phase phase) noexcept {
  switch (phase) {
    case StatusPage::Phase::preparing:
      return "being prepared";
    case StatusPage::Phase::timing:
      return "being timed";
    case StatusPage::Phase::verifying:
      return "being verified";
    case StatusPage::Phase::profiling:
      return "being profiled";
    case StatusPage::Phase::between:
      break;
  }
  return "between two steps";
}

}  // namespace kerntune::process
