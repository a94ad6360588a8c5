// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <kerntune/core/replay.hpp>
#include <kerntune/core/tuner.hpp>
#include <kerntune/storage/result_store.hpp>

#include "engine/context.hpp"
#include "engine/tune_internal.hpp"

namespace kerntune {
namespace {

/// Launches per configuration of a recording: enough for a stable median, few enough for thousands of configurations.
constexpr int kRecordedLaunches = 15;

RecordedEntry entry_from(const storage::EvaluationRecord& row, search::Config config) {
  RecordedEntry entry;
  entry.config = std::move(config);
  if (row.status == storage::Status::rejected) {
    entry.rejection = Rejection{reason_from(row.reason), row.message};
    return entry;
  }
  entry.samples_ns = row.samples_ns;
  entry.time_ns = row.median_ns;
  entry.facts = nlohmann::json::parse(row.facts_json).get<Facts>();
  return entry;
}

/// What the store and the static filter know of one size, in the order in which it was observed.
RecordedSize recorded_size(const storage::ResultStore& store, const TuneReport& report, const BatchResult& batch) {
  RecordedSize size{batch.dims, {}};
  for (const EvaluationTrace& trace : batch.trace) {
    const storage::EvaluationKey key{report.kernel,
                                     code_digest(report.spec),
                                     trace.config_text,
                                     canonical_dims(batch.dims),
                                     report.device.device_class,
                                     report.toolchain,
                                     report.policy};
    if (const auto row = store.find(key)) {
      size.entries.push_back(entry_from(*row, trace.config));
    } else if (trace.rejection) {  // turned down before anything ran: not stored
      RecordedEntry entry;
      entry.config = trace.config;
      entry.rejection = trace.rejection;
      size.entries.push_back(std::move(entry));
    }
  }
  return size;
}

}  // namespace

TuneReport record_space(const RecordRequest& request, const ProgressSink& progress, const StopFlag& stop) {
  TuneRequest tune = request.tune;
  tune.strategy = "exhaustive";
  tune.budget = {};
  const TuneReport report = tune_with(tune, {.fixed_launches = kRecordedLaunches}, progress, stop);
  const auto store = storage::ResultStore::open(tune.store_path, storage::ResultStore::Mode::read_only);
  Recording recording = new_recording(report.spec, report.device, tune.policy);
  for (const BatchResult& batch : report.batches) recording.sizes.push_back(recorded_size(store, report, batch));
  if (!report.interrupted && report.stopped.empty()) write_recording(recording, request.output_path);
  return report;
}

}  // namespace kerntune
