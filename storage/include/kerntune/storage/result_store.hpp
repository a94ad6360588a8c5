// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <kerntune/storage/records.hpp>

namespace kerntune::storage {

/// The store cannot be opened, read or written. The message names the file, what was being done and what to do;
/// `sqlite_code` is the extended result code, 0 if SQLite was not the cause.
class StorageError : public std::runtime_error {
 public:
  StorageError(const std::string& message, int sqlite_code = 0)
      : std::runtime_error(message), sqlite_code_(sqlite_code) {}
  int sqlite_code() const noexcept { return sqlite_code_; }

 private:
  int sqlite_code_;
};

/// The authoring store: one SQLite file in rollback-journal mode, where every commit is on the disk when it returns
/// (docs/cache-format.md for the content, docs/adr/0004-store-journal.md for the journal). kill -9 or a power cut at
/// any instant leaves all that was committed. Threads: one at a time. Processes: any number may have it open; writers
/// wait up to 10 s for each other, or as long as wait_with() says. Errors, unless said otherwise: StorageError, and
/// nothing of the call is stored.
class ResultStore {
 public:
  enum class Mode { create, read_write, read_only };
  /// create: makes the file and its folders if absent, all at once, and turns an empty file into a store. read_only:
  /// what a killed writer left half-done is undone first, if the file may be written. Older schemas migrate in one
  /// transaction when opened for writing; a newer one, a file in WAL mode, or one that is not ours, is refused and left
  /// untouched.
  static ResultStore open(const std::string& path, Mode mode);
  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;
  ~ResultStore();

  /// Asked again and again, tens of times a second, while another process keeps the file locked, with how long this
  /// call has waited; false ends the wait, and the call fails with StorageError. Called on the thread that made the
  /// call.
  using Patience = std::function<bool(std::chrono::milliseconds waited)>;
  void wait_with(Patience patience);

  void begin_run(const RunRecord& run);
  void end_run(const std::string& run_id, std::int64_t ended_unix_us, const std::string& outcome);

  /// One transaction, one durable commit: stores the finished evaluations (replacing rows of the same id), removes
  /// their started rows, of whatever run, adds the started rows of the next. Nothing is stored if any part fails, if a
  /// time is negative or not a number, or if an evaluation is rejected or unverified and yet proven. A winner whose
  /// evaluation is no longer proven is withdrawn, history included.
  void commit(std::span<const EvaluationRecord> finished, std::span<const StartedRecord> started);

  std::optional<EvaluationRecord> find(const EvaluationKey& key) const;
  /// Every evaluation whose key equals `pattern` in all fields but config. Ordered by config text.
  std::vector<EvaluationRecord> evaluations(const EvaluationKey& pattern) const;
  /// Evaluations of a kernel, newest first, at most `limit`; for list and show. Empty kernel: of all.
  std::vector<EvaluationRecord> recent(const std::string& kernel, std::size_t limit) const;

  /// Started rows of runs other than `run_id`: evaluations in flight when a run was killed.
  std::vector<StartedRecord> leftovers(const std::string& run_id) const;
  void clear_started(std::span<const StartedRecord> rows);

  /// Stores a winner and keeps earlier ones as history; the newest per (kernel, dims, device_class, toolchain, policy,
  /// digests) is current. Storing the same twice changes nothing. Requires: batch >= 1, times and ratios finite, not
  /// negative; the proven evaluation of its configuration in the store, verified by the same reference.
  void record_final(const FinalRecord& record);
  /// Current finals that a proven evaluation stands behind, sorted by kernel, other_dims, device_class, batch. Empty
  /// kernel: all.
  std::vector<FinalRecord> finals(const std::string& kernel = "") const;

  std::vector<RunRecord> runs() const;  // newest first

  const std::string& path() const noexcept { return path_; }

 private:
  struct Connection;
  ResultStore(std::string path, std::unique_ptr<Connection> connection);
  std::string path_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace kerntune::storage
