// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace kerntune::testing {

/// Stands between SQLite and the disk while it lives: counts what changes files, fails it on demand, remembers what was
/// not yet synced, and passes time without waiting. One at a time; connections must be closed before it ends.
class FaultyVfs {
 public:
  FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;
  ~FaultyVfs();

  enum class Lasts { once, from_then_on };
  /// The nth change from now (from 0: write, truncation, sync, deletion, creation) fails as a full disk or a broken
  /// one.
  void fail_change(long nth, Lasts lasts, int code);
  /// From the nth change on, nothing reaches a file any more: the power is gone.
  void cut_power_at(long nth);
  /// Nobody gets a lock.
  void lock_out() { locked_out_ = true; }

  long changes() const { return changes_; }
  bool struck() const { return struck_; }  // the failure asked for has happened
  bool all_synced() const;                 // every change is on the disk
  double slept_s() const { return slept_s_; }

  /// Rewrites the files as a disk might hold them after the power cut: what was synced, and of the rest, whatever
  /// chance let through, whole or torn.
  void leave_what_survived(std::mt19937_64& chance) const;

  // For the functions behind the SQLite interface.
  struct Change {
    std::int64_t offset = 0;
    std::string bytes;
    bool truncates = false;
  };
  struct FileState {
    bool exists = false;
    std::string synced;
    std::vector<Change> pending;
  };
  int admit(int code_of_kind);  // 0: go ahead
  bool powered() const { return powered_; }
  bool locked_out() const { return locked_out_; }
  FileState& state(const std::string& path) { return files_[path]; }
  void sleep(double seconds) { slept_s_ += seconds; }
  void restart_count() { changes_ = 0; }

 private:
  std::map<std::string, FileState> files_;
  long changes_ = 0, fail_from_ = -1, cut_from_ = -1;
  Lasts lasts_ = Lasts::once;
  int code_ = 0;
  bool struck_ = false, powered_ = true, locked_out_ = false;
  double slept_s_ = 0;
};

}  // namespace kerntune::testing
