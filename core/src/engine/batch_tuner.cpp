// SPDX-License-Identifier: Apache-2.0
#include "engine/batch_tuner.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>

#include "engine/incumbents.hpp"
#include "engine/list_strategy.hpp"
#include "engine/statistics.hpp"

namespace kerntune {
namespace {

/// Configurations that the static filter may turn down for each one of the budget, before the search gives up.
constexpr std::int64_t kMaxPrunedPerEvaluation = 200;
constexpr double kFinalSeconds = 8;
constexpr double kHastyFinalSeconds = 2;  // after Ctrl-C

bool is_pruned(Reason reason) { return reason == Reason::not_applicable || reason == Reason::device_limit; }

}  // namespace

BatchTuner::BatchTuner(BatchSetup setup)
    : setup_(std::move(setup)),
      program_(*setup_.context.program),
      result_(empty_result()),
      log_(setup_.store, setup_.context, result_.dims, setup_.run_id),
      budget_(setup_.request.budget.evaluations) {
  default_text_ = program_.space().text(program_.default_config());
}

BatchResult BatchTuner::empty_result() const {
  BatchResult result;
  result.batch = setup_.batch;
  Dims dims = setup_.request.dims;
  dims[program_.spec().batch_dim().name] = setup_.batch;
  result.dims = program_.complete_dims(dims);
  return result;
}

BatchResult BatchTuner::run() {
  strategy_ = strategy_for(setup_.request, program_);
  const auto work = program_.work(program_.bind_dims(result_.dims, setup_.context.device.properties));
  result_.flop = work.flop;
  result_.bytes = work.bytes;
  report(TuneProgress::Kind::batch_started);
  take_known();
  try {
    tune();
  } catch (const Error& error) {  // no device, no processes: this run is over, but not what it has
    log_.commit({});
    result_.device_lost = true;
    result_.note = error.what();
  }
  result_.wall_s = elapsed();
  report(TuneProgress::Kind::batch_finished);
  return std::move(result_);
}

void BatchTuner::tune() {
  if (restore_stored_final() || !start_session()) return;
  search();
  if (setup_.stop.load() < 2) setup_.lane.look("search");
  if (setup_.fixed_launches > 0) {
    summarise();
    note_circumstances();
  } else if (setup_.stop.load() < 2) {
    decide();
  }
}

/// Results of earlier runs: told to the strategy, counted, never measured again.
void BatchTuner::take_known() {
  for (auto& [text, record] : log_.load_known()) {
    const bool failed = record.status == storage::Status::rejected;
    if (failed && setup_.request.retry_failed) continue;
    // Judged by another reference or tolerance: to be judged again.
    if (failed && is_verdict(reason_from(record.reason)) && record.reference_digest != setup_.context.reference_digest)
      continue;
    // A recording says of each time that the output was right.
    if (setup_.fixed_launches > 0 && !failed && record.verified == "no") continue;
    std::optional<search::Config> config;
    try {
      config = program_.space().parse(text);
    } catch (const search::SpaceError&) {
      continue;  // the space has lost a value since
    }
    if (!program_.space().contains(*config)) continue;
    EvaluationTrace trace = trace_from(record, std::move(*config));
    if (const auto runs = trace.facts.find("runs_per_sample"); runs != trace.facts.end())
      known_runs_per_sample_ = static_cast<int>(runs->second);
    strategy_->observe(trace.config, feedback_from(trace));
    note_screened(trace, record.samples_ns);
    seen_.insert(text);
    ++result_.reused;
    count(trace, false);
    result_.trace.push_back(std::move(trace));
  }
  if (result_.reused > 0) report(TuneProgress::Kind::evaluated);
}

/// Nothing new to measure and the final of exactly this knowledge is stored: its result stands.
bool BatchTuner::restore_stored_final() {
  if (setup_.fixed_launches != 0 || !budget_ || result_.evaluated < *budget_) return false;
  if (!setup_.request.incumbent_path.empty()) return false;  // what is deployed must play first
  for (const storage::FinalRecord& record : setup_.store.finals(program_.spec().name)) {
    const TuningContext& c = setup_.context;
    if (record.dims != canonical_dims(result_.dims) || record.device_class != c.device.device_class ||
        record.toolchain != c.toolchain || record.policy != c.policy.text() || record.code_digest != c.code_digest ||
        record.space_digest != c.space_digest || record.reference_digest != c.reference_digest) {
      continue;
    }
    if (is_provisional(record)) return false;  // the final is played again
    restore_final(c, record, result_);
    return result_.best.has_value();
  }
  return false;
}

bool BatchTuner::start_session() {
  SessionStart start{result_.dims, setup_.context.policy,  {},         {}, verification_seeds(),
                     {},           known_runs_per_sample_, default_ns_};
  if (setup_.context.compiles()) {
    const Binding sizes = program_.bind_dims(result_.dims, setup_.context.device.properties);
    std::vector<CompileJob> jobs;
    const auto own = job_for(setup_.context, program_.default_config(), result_.dims);
    if (own) jobs.push_back(*own);
    if (const auto& reference = program_.spec().reference.kernel) {
      const auto plan = program_.reference_compile_plan(sizes);
      if (!plan) {
        result_.note = "the reference kernel: " + plan.error().message;
        return false;
      }
      jobs.push_back(compile_job(reference->code, *plan, setup_.context.device.arch));
    }
    auto outcomes = setup_.pool->compile_all(jobs);
    if (own && outcomes.front()) start.default_modules.push_back(*outcomes.front());
    if (program_.spec().reference.kernel) {
      if (!outcomes.back()) {
        result_.note = "the reference kernel does not compile: " + outcomes.back().error().message;
        return false;
      }
      start.reference_modules.push_back(std::move(*outcomes.back()));
    }
  }
  if (const auto opened = setup_.lane.start_session(std::move(start)); !opened) {
    result_.note = opened.error().message;
    return false;
  }
  return true;
}

void BatchTuner::search() {
  const auto search_begun = Clock::now();
  for (;;) {
    fill();
    dispatch();
    if (candidates_.empty()) break;
    if (stopping()) {  // what has not reached the lane is not worth waiting for
      if (setup_.pool != nullptr) setup_.pool->cancel_queued();
      ready_.clear();
      if (setup_.lane.outstanding() == 0 || setup_.stop.load() > 1) break;
    }
    wait();
    collect_answers();
    collect_compiled();
  }
  log_.commit({});
  candidates_.clear();
  const double total = std::chrono::duration<double>(Clock::now() - search_begun).count();
  result_.lane.idle_while_ready_us = std::chrono::duration<double, std::micro>(idle_while_ready_).count();
  result_.lane_idle_fraction = total > 0 ? std::chrono::duration<double>(idle_while_ready_).count() / total : 0;
}

bool BatchTuner::may_propose() const {
  if (exhausted_ || stopping() || static_cast<int>(candidates_.size()) >= setup_.look_ahead) return false;
  if (!budget_) return true;
  if (result_.pruned_static > kMaxPrunedPerEvaluation * *budget_) return false;
  return result_.evaluated + static_cast<std::int64_t>(candidates_.size()) < *budget_;
}

bool BatchTuner::begin_default() {
  if (default_begun_) return false;
  default_begun_ = true;
  if (seen_.contains(default_text_)) return false;
  begin(program_.default_config());
  return true;
}

void BatchTuner::fill() {
  while (may_propose()) {
    if (begin_default()) continue;
    auto proposal = strategy_->propose();
    if (proposal.answer == search::Strategy::Answer::blocked) return;
    if (proposal.answer == search::Strategy::Answer::exhausted) {
      exhausted_ = true;
      return;
    }
    if (seen_.contains(program_.space().text(proposal.config))) continue;  // the default, begun on our own account
    begin(std::move(proposal.config));
  }
}

void BatchTuner::begin(search::Config config) {
  Candidate candidate;
  candidate.text = program_.space().text(config);
  candidate.config = std::move(config);
  seen_.insert(candidate.text);
  auto view = static_filter(setup_.context, candidate.config, result_.dims);
  const auto past = view ? check_past(candidate) : tl::unexpected(view.error());
  if (!past) {
    LaneAnswer answer;
    answer.rejection = past.error();
    finish(std::move(candidate), std::move(answer));
    return;
  }
  candidate.view = std::move(*view);
  const std::uint64_t id = next_id_++;
  if (setup_.context.compiles()) {
    setup_.pool->submit(id, compile_job(std::get<SourceCode>(program_.spec().code), candidate.view.compile,
                                        setup_.context.device.arch));
  } else {
    ready_.push_back(id);
  }
  candidates_.emplace(id, std::move(candidate));
}

void BatchTuner::collect_compiled() {
  if (setup_.pool == nullptr) return;
  for (auto& finished : setup_.pool->collect()) on_compiled(finished.id, std::move(finished.outcome));
}

void BatchTuner::on_compiled(std::uint64_t id, CompilePool::Outcome outcome) {
  const auto found = candidates_.find(id);
  if (found == candidates_.end()) return;
  Candidate& candidate = found->second;
  LaneAnswer answer;
  if (!outcome) {
    answer.rejection = outcome.error();
  } else if (const auto ok = check_compiled(setup_.context, candidate.view, *outcome); !ok) {
    answer.rejection = ok.error();
  } else if (const auto twin = by_binary_.find(binary_signature(candidate.view, *outcome)); twin != by_binary_.end()) {
    answer = twin->second;  // the same machine code with the same launch: measuring it again would tell nothing
    answer.facts["duplicate"] = 1;
    candidate.modules.push_back(std::move(*outcome));
  } else {
    candidate.modules.push_back(std::move(*outcome));
    ready_.push_back(id);
    return;
  }
  finish(std::move(candidates_.extract(found).mapped()), std::move(answer));
}

void BatchTuner::collect_answers() {
  for (LaneAnswer& answer : setup_.lane.collect()) {
    const auto found = candidates_.find(answer.id);
    if (found == candidates_.end()) continue;
    Candidate candidate = std::move(candidates_.extract(found).mapped());
    add_lane_time(answer, result_.lane);
    result_.throttled_samples += throttled_samples(answer.timing);
    if (!candidate.modules.empty()) {
      by_binary_.emplace(binary_signature(candidate.view, candidate.modules.front()), answer);
    }
    finish(std::move(candidate), std::move(answer));
  }
  if (setup_.lane.outstanding() == 0 && !ready_.empty() && !idle_since_) idle_since_ = Clock::now();
}

void BatchTuner::wait() {
  constexpr int kPollMs = 100;  // so that Ctrl-C and deadlines are noticed
  std::vector<pollfd> fds;
  setup_.lane.add_poll_fds(fds);
  if (setup_.pool != nullptr) setup_.pool->add_poll_fds(fds);
  ::poll(fds.data(), fds.size(), kPollMs);
}

void BatchTuner::finish(Candidate candidate, LaneAnswer answer) {
  EvaluationTrace trace;
  trace.config = std::move(candidate.config);
  trace.config_text = candidate.text;
  trace.rejection = answer.rejection;
  trace.facts = answer.facts;
  trace.time_ns = answer.median_ns;
  trace.at_s = elapsed();
  if (!answer.rejection) {
    trace.status = answer.status == LaneAnswer::Status::slower ? EvaluationTrace::Status::slower
                                                               : EvaluationTrace::Status::measured;
  }
  const CompiledModule* module = candidate.modules.empty() ? nullptr : &candidate.modules.front();
  if (module != nullptr) {
    trace.compile_ms = module->compile_ms;
    trace.facts.merge(compiled_facts(*module));  // the driver's figures win over the log's
    answer.facts = trace.facts;
  }
  strategy_->observe(trace.config, feedback_from(trace));
  // What is turned down before it runs is not stored: it is cheap to find out again, and cheaper than a row.
  const bool has_run = answer.wall_us > 0 && setup_.context.device.kind != DeviceKind::replay;
  const bool pruned = answer.rejection && is_pruned(answer.rejection->reason) && !has_run;
  if (!pruned) {
    log_.add(candidate.text, answer, module);
    ++new_evaluations_;
  }
  note_screened(trace, answer.timing.samples_ns);
  count(trace, pruned);
  result_.trace.push_back(std::move(trace));
  report(TuneProgress::Kind::evaluated);
}

void BatchTuner::count(const EvaluationTrace& trace, bool pruned) {
  if (pruned)
    ++result_.pruned_static;
  else
    ++result_.evaluated;
  if (!trace.rejection) return;
  if (!pruned) ++result_.failed;
  ++result_.failures_by_reason[std::string(name_of(trace.rejection->reason))];
}

void BatchTuner::note_screened(const EvaluationTrace& trace, const Samples& samples) {
  if (trace.config_text == default_text_ && trace.status != EvaluationTrace::Status::rejected)
    default_ns_ = trace.time_ns;
  if (trace.status != EvaluationTrace::Status::measured || samples.empty()) return;
  noise_.learn(samples);
  screened_.push_back({trace.config, trace.config_text, trace.time_ns, samples.size()});
  if (best_ns_ > 0 && trace.time_ns >= best_ns_) return;
  best_ns_ = trace.time_ns;
  best_text_ = trace.config_text;
}

void BatchTuner::decide() {
  report(TuneProgress::Kind::confirming);
  const bool hasty = setup_.stop.load() > 0;
  FinalSetup final{
      setup_.context,
      result_.dims,
      setup_.lane,
      setup_.pool,
      incumbents_of(setup_.request, setup_.context, result_.dims, setup_.store),
      noise_.sigma(),
      hasty ? kHastyFinalSeconds : kFinalSeconds,
      hasty ? nullptr : setup_.counters,
      [&](int) { return setup_.stop.load() < 2; },
      [&](const std::string& config, const Rejection& rejection) { log_.add_rejected(config, rejection); }};
  play_final(final, screened_, result_);
  for (const Finalist& finalist : result_.finalists) log_.prove(finalist);
  result_.runs_per_sample = std::max(1, setup_.lane.runs_per_sample());
  log_.commit({});
  note_circumstances();
  if (result_.best) setup_.store.record_final(final_record(setup_.context, result_, setup_.run_id));
}

/// A recording plays no final: best and default are what the sweep itself measured.
void BatchTuner::summarise() {
  for (const EvaluationTrace& trace : result_.trace) {
    if (trace.status != EvaluationTrace::Status::measured) continue;
    const Finalist finalist{trace.config, trace.config_text, trace.time_ns, 1, 1, 1, "no", {}, trace.facts, false};
    if (!result_.best || trace.time_ns < result_.best->time_ns) result_.best = finalist;
    if (trace.config_text == default_text_) result_.default_config = finalist;
  }
  if (result_.best && result_.default_config) {
    result_.speedup = result_.default_config->time_ns / result_.best->time_ns;
    result_.speedup_low = result_.speedup_high = result_.speedup;
  }
}

void BatchTuner::report(TuneProgress::Kind kind, std::string note) {
  if (!setup_.progress) return;
  TuneProgress p;
  p.kind = kind;
  p.batch = setup_.batch;
  p.batch_index = setup_.index;
  p.batch_total = setup_.request.batches.size();
  p.evaluations_done = result_.evaluated;
  p.evaluations_total = budget_;
  const search::Count space = program_.space().count();
  if (space < static_cast<search::Count>(budget_.value_or(INT64_MAX)))
    p.evaluations_total = static_cast<std::int64_t>(space);
  p.reused = result_.reused;
  p.failed = result_.failed;
  p.best_ns = best_ns_;
  p.default_ns = default_ns_;
  p.best_config = best_text_;
  if (setup_.pool != nullptr) p.compiles_running = setup_.pool->running();
  p.compiles_ready = static_cast<int>(ready_.size());
  p.elapsed_s = elapsed();
  if (setup_.seconds) p.seconds_left = std::max(0.0, *setup_.seconds - p.elapsed_s);
  p.note = std::move(note);
  setup_.progress(p);
}

}  // namespace kerntune
