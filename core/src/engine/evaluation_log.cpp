// SPDX-License-Identifier: Apache-2.0
#include "engine/evaluation_log.hpp"

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "workers/wire.hpp"

namespace kerntune {
namespace {

using nlohmann::json;

storage::Status status_of(LaneAnswer::Status status) {
  switch (status) {
    case LaneAnswer::Status::measured:
      return storage::Status::measured;
    case LaneAnswer::Status::slower:
      return storage::Status::slower;
    case LaneAnswer::Status::rejected:
      break;
  }
  return storage::Status::rejected;
}

EvaluationTrace::Status trace_status(storage::Status status) {
  switch (status) {
    case storage::Status::measured:
      return EvaluationTrace::Status::measured;
    case storage::Status::slower:
      return EvaluationTrace::Status::slower;
    case storage::Status::rejected:
      break;
  }
  return EvaluationTrace::Status::rejected;
}

}  // namespace

std::int64_t unix_microseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

EvaluationLog::EvaluationLog(storage::ResultStore& store, const TuningContext& context, Dims dims, std::string run_id)
    : store_(store), context_(context), dims_(std::move(dims)), run_id_(std::move(run_id)) {}

std::map<std::string, storage::EvaluationRecord> EvaluationLog::load_known() const {
  std::map<std::string, storage::EvaluationRecord> known;
  for (auto& record : store_.evaluations(evaluation_key(context_, dims_, ""))) {
    std::string config = record.key.config;
    known.emplace(std::move(config), std::move(record));
  }
  return known;
}

storage::EvaluationRecord EvaluationLog::record(const std::string& config) const {
  storage::EvaluationRecord record;
  record.key = evaluation_key(context_, dims_, config);
  record.run_id = run_id_;
  record.verified = "no";
  record.verification_json = "{}";
  record.facts_json = "{}";
  record.compile_json = "{}";
  record.started_unix_us = unix_microseconds();
  return record;
}

void EvaluationLog::add(const std::string& config, const LaneAnswer& answer, const CompiledModule* module) {
  storage::EvaluationRecord row = record(config);
  row.status = status_of(answer.status);
  row.started_unix_us -= answer.wall_us;
  row.wall_us = answer.wall_us;
  row.facts_json = json(answer.facts).dump();
  if (module != nullptr) {
    row.compile_json = json{{"cubin", module->cubin_digest}, {"key", module->key}, {"ms", module->compile_ms}}.dump();
  }
  if (answer.rejection) {
    row.status = storage::Status::rejected;
    row.reason = name_of(answer.rejection->reason);
    row.message = answer.rejection->message;
    if (is_verdict(answer.rejection->reason)) row.reference_digest = context_.reference_digest;
  } else {
    row.median_ns = answer.median_ns;
    row.samples_ns = answer.timing.samples_ns;
    set_verification(row, answer.verified, answer.verification);
  }
  pending_.push_back(std::move(row));
}

void EvaluationLog::add_rejected(const std::string& config, const Rejection& rejection) {
  LaneAnswer answer;
  answer.rejection = rejection;
  add(config, answer, nullptr);
}

void EvaluationLog::set_verification(storage::EvaluationRecord& row, const std::string& verified,
                                     const Verification& verification) const {
  row.verified = verified;
  row.proven = verified != "no" && verification.complete;
  if (verified == "no") return;
  row.reference_digest = context_.reference_digest;
  row.verification_json = wire::from(verification).dump();
}

void EvaluationLog::prove(const Finalist& finalist) {
  const storage::EvaluationKey key = evaluation_key(context_, dims_, finalist.config_text);
  storage::EvaluationRecord row = store_.find(key).value_or(record(finalist.config_text));
  if (row.status == storage::Status::rejected) {  // not measured before, or failed then: what the final saw stands
    row.status = storage::Status::measured;
    row.median_ns = finalist.time_ns;
    row.reason.clear();
    row.message.clear();
    row.facts_json = json(finalist.facts).dump();
    row.run_id = run_id_;
  }
  set_verification(row, finalist.verified, finalist.verification);
  pending_.push_back(std::move(row));
}

void EvaluationLog::commit(const std::vector<std::string>& starting) {
  if (pending_.empty() && starting.empty()) return;
  std::vector<storage::StartedRecord> started;
  const std::int64_t now = unix_microseconds();
  for (const std::string& config : starting) started.push_back({evaluation_key(context_, dims_, config), run_id_, now});
  store_.commit(pending_, started);
  pending_.clear();
}

EvaluationTrace trace_from(const storage::EvaluationRecord& record, search::Config config) {
  EvaluationTrace trace;
  trace.config = std::move(config);
  trace.config_text = record.key.config;
  trace.status = trace_status(record.status);
  trace.reused = true;
  trace.time_ns = record.median_ns;
  if (record.status == storage::Status::rejected)
    trace.rejection = Rejection{reason_from(record.reason), record.message};
  if (!record.facts_json.empty()) trace.facts = json::parse(record.facts_json).get<Facts>();
  return trace;
}

bool is_verdict(Reason reason) {
  return reason == Reason::wrong_result || reason == Reason::unwritten_output || reason == Reason::out_of_bounds;
}

search::Feedback feedback_from(const EvaluationTrace& trace) {
  switch (trace.status) {
    case EvaluationTrace::Status::measured:
      return {search::Feedback::Status::measured, trace.time_ns};
    case EvaluationTrace::Status::slower:
      return {search::Feedback::Status::slower, trace.time_ns};
    case EvaluationTrace::Status::rejected:
      break;
  }
  return {search::Feedback::Status::rejected, 0};
}

void add_lane_time(const LaneAnswer& answer, LaneTime& lane) {
  const double launched_us = answer.timing.launched_ns / 1e3;
  const auto busy_us = static_cast<double>(answer.wall_us), verify_us = static_cast<double>(answer.verify_us);
  if (answer.timing.launches > 0) {
    ++lane.screened;
    lane.screen_fixed_us += std::max(0.0, busy_us - verify_us - launched_us);
  }
  lane.samples += static_cast<std::int64_t>(answer.timing.samples_ns.size());
  lane.launches += answer.timing.launches;
  lane.busy_us += busy_us;
  lane.launched_us += launched_us;
  lane.verify_us += verify_us;
}

std::int64_t throttled_samples(const Timing& timing) {
  return std::ranges::count_if(timing.flags, [](std::uint8_t flags) { return (flags & kThrottled) != 0; });
}

}  // namespace kerntune
