// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kerntune/core/replay.hpp>

#include "spec/json_document.hpp"

namespace kerntune {

/// A parameter's value in one entry of a file.
struct NamedLiteral {
  std::string_view name;
  expr::Literal value;
};

/// Collects the entries of a file that lists configurations by name and value, and turns them into a Recording of one
/// size. Parameters are declared first, with all their values, or come from the entries: in the order of the first one,
/// values sorted.
class RecordingBuilder {
 public:
  /// Errors of declare, add and finish: JsonError.
  void declare(const JsonCursor& place, std::string_view name, std::vector<expr::Literal> values);
  /// `entry.config` is not set yet. A configuration recorded again appends its samples.
  void add(const JsonCursor& place, std::vector<NamedLiteral> config, RecordedEntry entry);
  /// Moves params and one size into `recording`; its dims are the caller's.
  void finish(const JsonCursor& root, Recording& recording);

  /// For files that write every value as text: parameters whose values all read as numbers become numbers.
  void read_numbers_from_text();

 private:
  struct Row {
    std::vector<expr::Literal> values;  // by parameter
    RecordedEntry entry;
  };
  void collect_values();

  std::vector<search::Param> params_;
  bool declared_ = false;
  std::vector<Row> rows_;
};

/// A rejection or samples, whatever a recorder says: samples that are not positive numbers make a rejection.
void set_samples(RecordedEntry& entry, Samples samples_ns);

/// Nanoseconds in a unit as recorders spell it: "ms", "miliseconds", "Microseconds", "us", ... 0 if it is none.
double nanoseconds_in(std::string_view unit) noexcept;

// Readers by format. Errors: JsonError.
Recording read_own_recording(const JsonCursor& root);
Recording read_kernel_tuner(const JsonCursor& root);
Recording read_ktt(const JsonCursor& root);
Recording read_t4(const JsonCursor& root);

}  // namespace kerntune
