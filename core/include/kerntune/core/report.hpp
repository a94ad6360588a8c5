// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kerntune/core/catalogue.hpp>
#include <kerntune/core/conformance.hpp>
#include <kerntune/core/device.hpp>
#include <kerntune/core/tuner.hpp>
#include <kerntune/expr/value.hpp>
#include <kerntune/storage/records.hpp>

/// What the program shows: text for people, JSON for programs (docs/json.md), one HTML page per run.
/// Everything here is a pure function of its arguments: no terminal, clock, file or environment is read, so that output
/// can be tested. All return complete texts ending in a newline. Threads: any.
namespace kerntune::report {

/// How text may look where it goes.
struct Style {
  bool colour = false;  // ANSI colours; the caller honours NO_COLOR and whether it is a terminal
  bool utf8 = true;     // "µs" and block characters; else ASCII
  int width = 100;      // columns
};

// ---- numbers with units -------------------------------------------------------------------------------------------

/// Four significant digits and the unit that fits: "8.210 µs", "123.4 ms". 0 and less: "-".
std::string time_text(double ns, const Style& style = {});
/// "345.6 GFLOP/s", "1.234 TB/s": `per_second` in `unit` ("FLOP/s", "B/s") with a decimal prefix.
std::string rate_text(double per_second, std::string_view unit);
/// "48 KiB", "139 GiB": binary prefixes.
std::string bytes_text(std::uint64_t bytes);
/// "1,234,567" from decimal digits.
std::string grouped(std::string_view digits);
std::string grouped(std::int64_t number);
/// "1m 05s", "12.3 s", "2h 03m".
std::string duration_text(double seconds);
/// A word as a shell must be given it: quoted if it needs to be.
std::string shell_word(const std::string& word);

/// Words broken into lines of at most style.width columns, each after `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, const Style& style);

// ---- configurations -----------------------------------------------------------------------------------------------

struct ConfigValue {
  std::string name;
  expr::Literal value;
  bool operator==(const ConfigValue&) const = default;
};
/// Parses canonical text "block_x=128,precision=fp16" (search::ParamSpace::text) into typed values, in order.
/// Text that is not canonical keeps what can be read; nothing throws.
std::vector<ConfigValue> parse_config_text(std::string_view text);

/// A parameter whose value is not the default's.
struct ConfigChange {
  std::string name, value, default_value;  // texts; default_value is empty if the default is unknown
};
std::vector<ConfigChange> changes_from(std::string_view config, std::string_view default_config);

// ---- rooflines ----------------------------------------------------------------------------------------------------

/// How near one run comes to what the device can do. The limit shown is the nearer one: the higher of the two
/// fractions.
struct Roofline {
  std::optional<double> flop_per_s, bytes_per_s;            // achieved; absent if the kernel does not state its work
  std::optional<double> compute_fraction, memory_fraction;  // of the device's limits; absent if one of both is unknown
  enum class Limit { unknown, compute, memory } limit = Limit::unknown;
  double fraction = 0;  // of the nearer limit
};
Roofline roofline(double time_ns, std::optional<double> flop, std::optional<double> bytes, const DeviceInfo& device);

// ---- tune, run ----------------------------------------------------------------------------------------------------

std::string tune_text(const TuneReport& report, const Style& style);
std::string tune_json(const TuneReport& report);
/// One self-contained page: no request leaves it.
/// `command` is what the user typed, for the page's run facts.
std::string tune_html(const TuneReport& report, const std::string& command);

/// A whole space measured into a file (kerntune record): no final is played, so there is no winner, only the fastest
/// seen.
struct RecordingReport {
  TuneReport tune;
  std::string output;
  bool written = false;
};
std::string record_text(const RecordingReport& report, const Style& style);
std::string record_json(const RecordingReport& report);
/// The configuration with the least measured time; null if nothing was measured. Borrowed from `batch`.
const EvaluationTrace* fastest_seen(const BatchResult& batch);

std::string run_text(const RunResult& result, const Style& style);
std::string run_json(const RunResult& result);

std::string comparison_text(const Comparison& comparison, const Style& style);
std::string comparison_json(const Comparison& comparison);

/// Times, what limits each configuration, what changed to the fastest, and every reading.
std::string profile_text(const ProfileReport& report, const Style& style);
std::string profile_json(const ProfileReport& report);

/// The line that shows how far a run is, at most style.width columns, without a newline. A bar is for terminals.
enum class ProgressBar { with, without };
std::string progress_line(const TuneProgress& progress, ProgressBar bar, const Style& style);

// ---- query --------------------------------------------------------------------------------------------------------

/// An answer with the question that it answers.
struct QueryAnswer {
  std::string store, kernel, other_dims, device_key, policy;
  std::int64_t batch = 0;
  std::string found;   // exact bucket extrapolated default
  std::string config;  // canonical text; empty: the file does not know the kernel
  std::int64_t tuned_batch = 0;
  double time_ns = 0, bound = 0;  // 0: unknown
  std::string reason;
  Dims assumed_dims;                         // sizes that were not asked for and that the file has only one value of
  std::vector<storage::FinalRecord> finals;  // of this kernel, all keys: for --explain and to name the device keys
};
std::string query_text(const QueryAnswer& answer, bool explain, const Style& style);
std::string query_json(const QueryAnswer& answer, bool explain);

// ---- what there is ------------------------------------------------------------------------------------------------

std::string devices_text(const DeviceList& list, const Style& style);
std::string devices_json(const DeviceList& list);
std::string kernels_text(const Catalogue& catalogue, const Style& style);
std::string kernels_json(const Catalogue& catalogue);

/// A space, and those of its configurations that were asked for.
struct SpaceListing {
  KernelEntry kernel;
  struct Item {
    std::string index;  // decimal
    std::string config;
  };
  std::vector<Item> configurations;
};
std::string space_text(const SpaceListing& listing, const Style& style);
std::string space_json(const SpaceListing& listing);

std::string check_text(const ConformanceReport& report, const Style& style);
std::string check_json(const ConformanceReport& report);

// ---- what a store holds -------------------------------------------------------------------------------------------

struct StoreListing {
  std::string store;
  std::vector<storage::FinalRecord> finals;
  std::vector<storage::RunRecord> runs;  // newest first
};
std::string list_text(const StoreListing& listing, const Style& style);
std::string list_json(const StoreListing& listing);

/// What was measured of one kernel.
struct KernelHistory {
  std::string store, kernel;
  std::vector<storage::FinalRecord> finals;
  std::vector<storage::EvaluationRecord> evaluations;  // newest first
  std::size_t evaluations_total = 0;                   // how many there are of those asked for
  bool failures_only = false;                          // only evaluations without a time were asked for
  std::vector<storage::RunRecord> runs;                // newest first
};
std::string show_text(const KernelHistory& history, const Style& style);
std::string show_json(const KernelHistory& history);

// ---- errors -------------------------------------------------------------------------------------------------------

/// {"error":{"kind":"usage","message":"...","exit_code":2}}
std::string error_json(std::string_view kind, std::string_view message, int exit_code);

}  // namespace kerntune::report
