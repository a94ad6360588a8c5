// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <kerntune/core/tuner.hpp>

#include "command.hpp"

namespace kerntune::app {

/// The options that say what to tune and how. record measures whole spaces: it has no strategy and no budget.
class TuneOptions {
 public:
  enum class For { tune, record };
  explicit TuneOptions(For use) : use_(use) {}
  /// Options point into this object.
  std::vector<Option> describe();
  /// Finds the kernel and resolves the device. `verb` starts messages. Errors: UsageError, SpecError, PluginError.
  TuneRequest request(const std::string& verb) const;

 private:
  std::vector<Option> what();
  std::vector<Option> search();
  std::vector<Option> measurement();

  void check_numbers(const std::string& verb) const;

  For use_;
  std::string kernel_, device_ = "auto", batches_, strategy_, budget_, l2_, mode_ = "eager", counters_ = "auto", db_;
  std::vector<std::string> dims_, plugins_;
  std::string configs_path_, incumbent_path_;
  std::optional<std::uint64_t> order_seed_;
  std::uint64_t seed_ = 1;
  double timeout_s_ = 30, compile_timeout_s_ = 60, memory_gib_ = 0;
  std::int64_t jobs_ = 0;
  bool retry_failed_ = false;
};

/// done, partial (interrupted, or a batch without a result) or nothing_usable.
ExitCode exit_code_of(const TuneReport& report);

}  // namespace kerntune::app
