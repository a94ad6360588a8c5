// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <kerntune/core/device.hpp>
#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/core/rejection.hpp>
#include <kerntune/search/param_space.hpp>

namespace kerntune {

/// What was recorded of one configuration at one problem size.
struct RecordedEntry {
  search::Config config;                   // indices into Recording::params
  std::optional<Rejection> rejection;      // set: it has no time
  Samples samples_ns;                      // every sample in recorded order; at least one unless rejected
  double time_ns = 0;                      // the recorder's own figure: a median of ours, a mean of Kernel Tuner's
  Facts facts;                             // regs, static_shared_bytes, compile_ms, ...
  std::map<std::string, double> counters;  // by the recorder's names: hardware counters, GFLOP/s, ...
};

/// All configurations that were recorded at one problem size.
struct RecordedSize {
  Dims dims;  // complete
  std::vector<RecordedEntry> entries;
};

/// How many of an entry's samples a replay may draw: the first half, and the middle one of an odd number. The others
/// are held back: truth_ns() is their median (of one sample, it itself), so that no one is judged by what he has seen.
/// Requires: not rejected.
std::size_t drawable(const RecordedEntry& entry) noexcept;
double truth_ns(const RecordedEntry& entry);

enum class RecordingFormat { kerntune, kernel_tuner, ktt, t4 };
std::string_view name_of(RecordingFormat format) noexcept;  // "Kernel Tuner cache"

/// One kernel's recorded results on one device: what a file holds. docs/recordings.md describes the formats.
struct Recording {
  RecordingFormat format = RecordingFormat::kerntune;
  std::string path;
  std::string digest;  // SHA-256 of the (unpacked) text, hex
  std::string kernel;
  DeviceInfo device;               // name and class as recorded; properties of our own recordings only
  std::string policy;              // MeasurePolicy::text(); empty for others' recordings
  std::optional<KernelSpec> spec;  // our own recordings carry it
  std::vector<search::Param> params;
  /// The space's constraints, if they are known: from the spec, from the file, or from a restrictions file beside it.
  /// Without them the space is the whole product, and what is not listed is rejected.
  std::optional<std::vector<std::string>> constraints;
  std::vector<RecordedSize> sizes;  // at least one
  bool truncated = false;           // the file breaks off, as a killed recorder leaves it; its whole entries are here
};

/// Reads a recording of any format, told apart by content; gzip files are unpacked. A file without constraints gets
/// those of a `restrictions.json` ({"name": ["constraint", ...], ...}) beside it or one folder up, if one of its lists
/// gives exactly the recorded set. Errors: Error naming the file, the place in it, what was expected and found.
Recording read_recording(const std::string& path);
/// The same for a text; `origin` stands for the path, and no restrictions are looked for.
Recording parse_recording(std::string_view text, const std::string& origin);

/// True if the text looks like a recording of any format. Cost: one pass over the text.
bool is_recording(std::string_view text);

/// Our own format; parse_recording reads it back. `path` and `digest` are not part of it.
std::string to_json(const Recording& recording);
/// Writes it beside `path` and renames; packed if the name ends in ".gz". Errors: Error.
void write_recording(const Recording& recording, const std::string& path);
/// An empty recording of a kernel: entries' configurations index the spec's parameters.
Recording new_recording(const KernelSpec& spec, const DeviceInfo& device, const MeasurePolicy& policy);

/// A spec to tune on a recording: its own, or one that describes the recorded space and cannot be launched. The default
/// configuration of the latter is the first that was measured.
KernelSpec spec_of(const Recording& recording);

/// The space of a recording at one size, and look-up in it. Immutable; threads may share it.
/// Ownership: shares the recording.
class RecordedSpace {
 public:
  /// Errors: Error if the recording's size, parameters or constraints give no space.
  explicit RecordedSpace(std::shared_ptr<const Recording> recording, std::size_t size = 0);

  const Recording& recording() const noexcept { return *recording_; }
  const RecordedSize& size() const noexcept { return *size_; }
  /// Parameters in recorded order; constrained if constraints are known.
  const search::ParamSpace& space() const noexcept { return space_; }
  /// True if the space's configurations are exactly the recorded ones.
  bool exact() const noexcept { return exact_; }
  /// Null if the configuration was not recorded. Cost: one hash look-up.
  const RecordedEntry* find(const search::Config& config) const;

 private:
  struct ConfigHash {
    std::size_t operator()(const search::Config& config) const noexcept;
  };
  std::shared_ptr<const Recording> recording_;
  const RecordedSize* size_;
  search::ParamSpace space_;
  std::unordered_map<search::Config, const RecordedEntry*, ConfigHash> entries_;
  bool exact_ = false;
};

/// The device "replay:PATH": evaluations are looked up. prepare() gives the recorded rejection or facts; a
/// configuration that was not recorded is rejected as not_applicable. time() gives the drawable() samples in recorded
/// order, none twice in a session, and says `exhausted` at their end; verify() succeeds, and verified_by() is
/// "recorded". The device class is "replay-<recorded device>-<digest's first 12 digits>", so that results of different
/// files never mix. Errors: as read_recording. open() throws DeviceError if the request's kernel, parameters or sizes
/// are not recorded.
std::unique_ptr<Device> open_replay_device(std::string_view path);

}  // namespace kerntune
