// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "process/unique_fd.hpp"

namespace kerntune::process {

/// What a worker is at, in memory that it shares with its supervisor: written without a system call, and still there
/// after the worker has died. One writer, one reader; a reader that meets a change half-way sees parts of both steps,
/// and looks again soon.
class StatusPage {
 public:
  enum class Phase : std::uint32_t { between, preparing, timing, verifying, profiling };
  struct Step {
    std::uint64_t item = 0;  // what it is done for: a job's id, a finalist's place
    Phase phase = Phase::between;
    double running_s = 0;
    double allowed_s = 0;
    bool overdue() const noexcept { return running_s > allowed_s; }
  };

  /// The supervisor's side: new memory. Errors: Error.
  static StatusPage create();
  /// The worker's side. Errors: Error.
  static StatusPage attach(int fd);
  StatusPage(StatusPage&& other) noexcept;
  StatusPage& operator=(StatusPage&& other) noexcept;
  ~StatusPage();
  int fd() const noexcept { return fd_.get(); }

  void begin(std::uint64_t item, Phase phase, double allowed_s) noexcept;
  void rest() noexcept;  // at nothing
  /// Nothing if the worker is at nothing.
  std::optional<Step> step() const noexcept;

 private:
  struct Shared;
  StatusPage(UniqueFd fd, Shared* shared) noexcept;

  UniqueFd fd_;
  Shared* shared_ = nullptr;
};

/// "being timed" and the like, for messages.
const char* text_of(StatusPage::Phase phase) noexcept;

}  // namespace kerntune::process
