// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <optional>

#include <nlohmann/json.hpp>

#include <kerntune/core/device.hpp>
#include <kerntune/core/errors.hpp>
#include <kerntune/core/plugin_host.hpp>

#include "engine/confirm.hpp"
#include "engine/examiner.hpp"
#include "engine/racing.hpp"
#include "nvtx/ranges.hpp"
#include "process/worker_process.hpp"
#include "workers/watched_session.hpp"
#include "workers/wire.hpp"
#include "workers/workers.hpp"

// The device worker owns the context, the buffers and the plugin's callbacks of one device. Requests, in this order:
//
//   open      {"device","plugin","kernel","spec","step_s","memory_limit_bytes"}
//             -> {"ok","info"} | {"ok":false,"message"}
//   session   {"dims","policy","default_modules","reference_modules","seeds","best","runs_per_sample","usual_ns"}
//             -> {"ok","verified_by","shared_with","gpu"} | {"ok":false,"rejection"}
//   evaluate  {"id","config","modules","edge_code","full","launches"}: race, and verify if it would lead
//             -> {"id","status",...}
//   look      {}: how the device is, when nothing runs on it
//             -> {"gpu"}
//   confirm   {"candidates":[{"config","modules","edge_code","keep","estimate_ns"}],"max_seconds"}
//             -> {"round":N} ... {"finalists":[...],...,"shared_with","gpu"}
//
//   profile   {"candidates":[{"config","modules"}],"counters"}
//             -> {"ok","access","entries":[{"counters"}|{"rejection"}],"wall_us"} | {"ok":false,"message"}
//
// What it is at stands on the status page: an evaluation's id, or a candidate's place in the final.
// An answer with "context_lost" is the last: the process ends and must be replaced.

namespace kerntune {
namespace {

using wire::json;
using Clock = std::chrono::steady_clock;

/// A plugin that eats memory fails in its own process instead of taking the machine along. 0: three quarters of what
/// the machine, or the container, has.
void limit_memory(std::uint64_t bytes) {
  process::limit_memory_growth(bytes > 0 ? bytes : process::machine_memory_bytes() / 4 * 3);
}

std::int64_t microseconds_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
}

/// Candidates between two measurements of the best: clocks and temperatures drift, and a race against an old time is
/// unfair.
constexpr int kRefreshEvery = 16;

class DeviceWorker {
 public:
  DeviceWorker(process::WorkerChannel& channel, DeviceOpener opener)
      : channel_(channel), open_device_(opener), page_(process::StatusPage::attach(process::kWorkerStatusFd)) {}

  /// False when the context is lost.
  bool handle(const process::Message& message) {
    const json request = wire::body_of(message);
    wire::BlobReader blob(message.blob);
    const std::string op = request.at("op");
    if (op == "open")
      answer(open(request));
    else if (op == "session")
      answer(open_session(request, blob));
    else if (op == "evaluate")
      answer(evaluate(request, blob));
    else if (op == "look")
      answer({{"gpu", wire::from(device_->gpu_state())}});
    else if (op == "confirm")
      answer(run_final(request, blob));
    else if (op == "profile")
      answer(profile(request, blob));
    else
      throw process::ProtocolError("device worker: unknown request '" + op + "'");
    return session_ == nullptr || !session_->context_lost();
  }

 private:
  json open(const json& request);
  json open_session(const json& request, wire::BlobReader& blob);
  json evaluate(const json& request, wire::BlobReader& blob);
  json run_final(const json& request, wire::BlobReader& blob);
  json profile(const json& request, wire::BlobReader& blob);

  void evaluate_into(const json& request, const std::vector<CompiledModule>& modules,
                     const std::vector<EdgeCode>& edge_code, json& answer);
  tl::expected<std::unique_ptr<Prepared>, Rejection> prepare(const search::Config& config,
                                                             const std::vector<CompiledModule>& modules);
  tl::expected<std::unique_ptr<Session>, Rejection> open_edge(const SessionRequest& edge);
  tl::expected<Verification, Rejection> examine_finalist(const Examinee& examinee);
  tl::expected<RaceResult, Rejection> measure(Prepared& prepared, int launches);
  void lead(std::unique_ptr<Prepared> prepared, Samples samples);
  void refresh_best(json& timing);
  /// Microseconds of verification since the examiner's watch showed `seconds`.
  std::int64_t verified_since(double seconds) const {
    return static_cast<std::int64_t>((examiner_->seconds() - seconds) * 1e6);
  }
  void send(const json& body) { channel_.send(wire::message(body)); }
  void answer(const json& body) {
    page_.rest();
    send(body);
  }

  process::WorkerChannel& channel_;
  DeviceOpener open_device_;
  process::StatusPage page_;
  Watch watch_{page_};
  std::optional<PluginLibrary> library_;  // never unloaded: it lives as long as the process
  const PluginKernel* plugin_ = nullptr;
  std::shared_ptr<const SpecProgram> program_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<WatchedSession> session_;
  std::unique_ptr<Examiner> examiner_;
  RacePolicy race_policy_;
  RaceState state_{race_policy_};
  std::unique_ptr<Prepared> best_;  // of this session, to be measured again
  int since_refresh_ = 0;
};

json DeviceWorker::open(const json& request) {
  try {
    device_ = open_device_(request.at("device").get<std::string>());
    if (const std::string path = request.at("plugin"); !path.empty()) {
      library_ = PluginLibrary::open(path);
      plugin_ = library_->find(request.at("kernel").get<std::string>());
    }
    program_ = std::make_shared<SpecProgram>(parse_spec(request.at("spec").get<std::string>(), "the supervisor"));
    watch_.step_s = request.at("step_s");
    limit_memory(request.at("memory_limit_bytes"));
    return {{"ok", true}, {"info", wire::from(device_->info())}};
  } catch (const std::exception& error) {
    return {{"ok", false}, {"message", error.what()}};
  }
}

json DeviceWorker::open_session(const json& request, wire::BlobReader& blob) {
  SessionRequest wanted;
  wanted.program = program_;
  wanted.dims = request.at("dims").get<Dims>();
  wanted.policy = wire::measure_policy(request.at("policy"));
  wanted.default_modules = wire::compiled_modules(request.at("default_modules"), blob);
  wanted.reference_modules = wire::compiled_modules(request.at("reference_modules"), blob);
  wanted.seeds = request.at("seeds").get<std::vector<std::uint64_t>>();
  wanted.runs_per_sample = request.at("runs_per_sample");
  best_.reset();
  session_.reset();
  examiner_.reset();
  state_ = RaceState(race_policy_);
  state_.lead(request.at("best").get<Samples>());
  try {
    auto session = device_->open(wanted, plugin_);
    if (!session) return {{"ok", false}, {"rejection", wire::from(session.error())}};
    session_ = std::make_unique<WatchedSession>(std::move(*session), watch_, request.at("usual_ns"));
    examiner_ = std::make_unique<Examiner>([this](const SessionRequest& edge) { return open_edge(edge); },
                                           device_->info(), wanted);
  } catch (const std::exception& error) {
    return {{"ok", false}, {"rejection", wire::from(Rejection{Reason::internal_error, error.what()})}};
  }
  return {{"ok", true},
          {"verified_by", session_->verified_by()},
          {"shared_with", device_->shared_with()},
          {"gpu", wire::from(device_->gpu_state())}};
}

/// Watched like the session of the tuned size, its opening included: a reference may be made there.
tl::expected<std::unique_ptr<Session>, Rejection> DeviceWorker::open_edge(const SessionRequest& edge) {
  const Watch::Step step(watch_, watch_.item, process::StatusPage::Phase::verifying, Watch::kReferenceSeconds);
  auto session = device_->open(edge, plugin_);
  if (!session) return tl::unexpected(session.error());
  return std::make_unique<WatchedSession>(std::move(*session), watch_, 0.0);
}

tl::expected<RaceResult, Rejection> DeviceWorker::measure(Prepared& prepared, int launches) {
  const nvtx::Range range("screen");
  if (launches == 0) return race(*session_, prepared, state_, race_policy_);
  RacePolicy fixed = race_policy_;
  fixed.rungs = {1, launches};  // the first tells how long the others may take
  if (launches == 1) fixed.rungs = {1};
  return race(*session_, prepared, RaceState(fixed), fixed);
}

void reject(json& answer, const Rejection& rejection) {
  answer["status"] = "rejected";
  answer["rejection"] = wire::from(rejection);
  answer["timing"] = wire::from(Timing{});
}

/// What is stored of a timing beside its samples. Bit i of throttled_mask is sample i's flag.
void add_facts(const Timing& timing, int runs_per_sample, json& facts) {
  constexpr std::size_t kExactBits = 52;  // of a double
  facts["runs_per_sample"] = runs_per_sample;
  if (timing.clock_mhz > 0) facts["clock_mhz"] = timing.clock_mhz;
  double mask = 0;
  for (std::size_t i = 0; i < std::min(timing.flags.size(), kExactBits); ++i)
    if ((timing.flags[i] & kThrottled) != 0) mask += static_cast<double>(std::uint64_t{1} << i);
  if (mask > 0) facts["throttled_mask"] = mask;
}

void DeviceWorker::lead(std::unique_ptr<Prepared> prepared, Samples samples) {
  state_.lead(std::move(samples));
  best_ = std::move(prepared);
  since_refresh_ = 0;
}

/// Measures the best again now and then; the launches count with the candidate's. A recording does not drift, and has
/// no samples to spare.
void DeviceWorker::refresh_best(json& timing) {
  if (!best_ || device_->info().kind == DeviceKind::replay || ++since_refresh_ < kRefreshEvery) return;
  since_refresh_ = 0;
  auto again = session_->time(*best_, 1, race_policy_.rungs.back());
  if (!again) return;
  timing["launches"] = timing.at("launches").get<std::int64_t>() + again->launches;
  timing["launched_ns"] = timing.at("launched_ns").get<double>() + again->launched_ns;
  state_.lead(std::move(again->samples_ns));
}

void DeviceWorker::evaluate_into(const json& request, const std::vector<CompiledModule>& modules,
                                 const std::vector<EdgeCode>& edge_code, json& answer) {
  const auto config = request.at("config").get<search::Config>();
  auto made = prepare(config, modules);
  if (!made) return reject(answer, made.error());
  std::unique_ptr<Prepared> prepared = std::move(*made);
  answer["facts"] = prepared->facts();
  const int launches = request.at("launches");
  auto raced = measure(*prepared, launches);
  if (!raced) return reject(answer, raced.error());
  answer["status"] = raced->slower ? "slower" : "measured";
  answer["timing"] = wire::from(raced->timing);
  add_facts(raced->timing, session_->runs_per_sample(), answer["facts"]);
  answer["median_ns"] = raced->median_ns;
  if (raced->slower) return;
  state_.learn(raced->timing.samples_ns);
  if (launches == 0 && !would_lead(*raced, state_)) return;
  // What would push others out of the race is looked at as closely as a winner.
  const nvtx::Range range("verify");
  const bool leads =
      launches == 0 && (!state_.has_best() || raced->median_ns < state_.best_ns(raced->timing.samples_ns.size()));
  const Examinee examinee{*session_, *prepared, config, modules, edge_code};
  const auto verified =
      leads || request.at("full").get<bool>() ? examiner_->full(examinee) : examiner_->quick(examinee);
  if (!verified) return reject(answer, verified.error());
  answer["verified"] = session_->verified_by();
  answer["verification"] = wire::from(*verified);
  answer["leads"] = leads;
  if (leads) lead(std::move(prepared), std::move(raced->timing.samples_ns));
}

json DeviceWorker::evaluate(const json& request, wire::BlobReader& blob) {
  const auto begin = Clock::now();
  watch_.work_for(request.at("id"));
  json answer{{"id", request.at("id")}, {"verified", "no"}, {"facts", json::object()},
              {"median_ns", 0.0},       {"leads", false},   {"timing", wire::from(Timing{})}};
  const auto modules = wire::compiled_modules(request.at("modules"), blob);
  const double verified_before = examiner_->seconds();
  try {
    const auto edge_code = wire::edge_code(request.at("edge_code"), blob);
    evaluate_into(request, modules, edge_code, answer);
    if (request.at("launches") == 0 && !session_->context_lost()) refresh_best(answer["timing"]);
  } catch (const std::bad_alloc&) {
    reject(answer, {Reason::out_of_memory, "not enough host memory"});
  } catch (const std::exception& error) {  // an error of the engine's: this configuration's result, not its crash
    reject(answer, {Reason::internal_error, error.what()});
  }
  answer["context_lost"] = session_->context_lost();
  answer["runs_per_sample"] = session_->runs_per_sample();
  answer["verify_us"] = verified_since(verified_before);
  answer["wall_us"] = microseconds_since(begin);
  return answer;
}

/// Once more with the memory of the edge sizes and of the best, if that is what is missing.
tl::expected<std::unique_ptr<Prepared>, Rejection> DeviceWorker::prepare(const search::Config& config,
                                                                         const std::vector<CompiledModule>& modules) {
  auto prepared = session_->prepare(config, modules);
  if (prepared || prepared.error().reason != Reason::out_of_memory) return prepared;
  examiner_->release();
  best_.reset();
  return session_->prepare(config, modules);
}

tl::expected<Verification, Rejection> DeviceWorker::examine_finalist(const Examinee& examinee) {
  const nvtx::Range range("verify");
  return examiner_->full(examinee);
}

json DeviceWorker::run_final(const json& request, wire::BlobReader& blob) {
  const auto begin = Clock::now();
  const double verified_before = examiner_->seconds();
  best_.reset();             // its memory is the finalists'
  session_->end_counting();  // what decides is never timed beside a profiler, idle or not
  std::vector<std::unique_ptr<Prepared>> prepared;
  std::vector<Contender> contenders;
  json finalists = json::array();
  std::vector<std::size_t> place;  // contender -> finalist
  for (const json& candidate : request.at("candidates")) {
    const auto modules = wire::compiled_modules(candidate.at("modules"), blob);
    watch_.work_for(finalists.size());  // names the culprit should this one take the process down
    json& finalist = finalists.emplace_back(json{{"ok", false}});
    const auto edge_code = wire::edge_code(candidate.at("edge_code"), blob);
    const auto config = candidate.at("config").get<search::Config>();
    auto one = prepare(config, modules);
    const auto verified = one ? examine_finalist({*session_, **one, config, modules, edge_code})
                              : tl::expected<Verification, Rejection>(tl::unexpected(one.error()));
    if (!verified) {
      finalist["rejection"] = wire::from(verified.error());
      if (session_->context_lost()) break;
      continue;
    }
    finalist["facts"] = (*one)->facts();
    finalist["verified"] = session_->verified_by();
    finalist["verification"] = wire::from(*verified);
    contenders.push_back({one->get(), candidate.at("keep"), candidate.at("estimate_ns")});
    prepared.push_back(std::move(*one));
    place.push_back(finalists.size() - 1);
  }
  Confirmed result;
  if (!contenders.empty() && !session_->context_lost()) {
    const nvtx::Range range("confirm");
    ConfirmPolicy policy;
    policy.max_seconds = request.at("max_seconds");
    result = confirm(*session_, contenders, policy, [&](int round) { send({{"round", round}}); });
  }
  std::int64_t launches = 0;
  double launched_us = 0;
  for (std::size_t c = 0; c < result.entries.size(); ++c) {
    launches += result.entries[c].timing.launches;
    launched_us += result.entries[c].timing.launched_ns / 1e3;
    json& finalist = finalists[place[c]];
    const Confirmed::Entry& entry = result.entries[c];
    finalist["ok"] = !entry.failed;
    if (entry.failed) finalist["rejection"] = wire::from(entry.rejection);
    finalist["rounds_ns"] = entry.round_ns;
    finalist["median_ns"] = entry.median_ns;
    finalist["ratio"] = {entry.ratio, entry.ratio_interval.low, entry.ratio_interval.high};
    finalist["tie"] = entry.tie;
    finalist["samples"] = entry.timing.samples_ns;
    finalist["flags"] = entry.timing.flags;
  }
  return {{"finalists", finalists},
          {"rounds", result.rounds},
          {"sigma", result.sigma},
          {"unresolved", result.unresolved},
          {"exhausted", result.exhausted},
          {"launches", launches},
          {"launched_us", launched_us},
          {"verify_us", verified_since(verified_before)},
          {"wall_us", microseconds_since(begin)},
          {"gpu", wire::from(device_->gpu_state())},
          {"shared_with", device_->shared_with()},
          {"context_lost", session_->context_lost()}};
}

/// Counters of configurations that were verified before. The best of the search keeps its memory, not its place in the
/// caches.
json DeviceWorker::profile(const json& request, wire::BlobReader& blob) {
  const auto begin = Clock::now();
  const nvtx::Range range("profile");
  json entries = json::array();
  std::vector<std::unique_ptr<Prepared>> prepared;
  std::vector<Prepared*> counted;
  std::vector<std::size_t> place;  // counted -> entry
  for (const json& candidate : request.at("candidates")) {
    watch_.work_for(entries.size());
    const auto modules = wire::compiled_modules(candidate.at("modules"), blob);
    json& entry = entries.emplace_back(json::object());
    auto one = prepare(candidate.at("config").get<search::Config>(), modules);
    if (!one) {
      entry["rejection"] = wire::from(one.error());
      continue;
    }
    place.push_back(entries.size() - 1);
    counted.push_back(one->get());
    prepared.push_back(std::move(*one));
  }
  try {
    const CounterProfile taken = session_->profile(counted, wire::counter_request(request.at("counters")));
    for (std::size_t i = 0; i < taken.entries.size(); ++i) {
      json& entry = entries[place[i]];
      if (taken.entries[i])
        entry["counters"] = wire::from(*taken.entries[i]);
      else
        entry["rejection"] = wire::from(taken.entries[i].error());
    }
    return {{"ok", true},
            {"access", wire::from(taken.access)},
            {"entries", entries},
            {"wall_us", microseconds_since(begin)},
            {"context_lost", session_->context_lost()}};
  } catch (const UsageError& error) {
    return {{"ok", false}, {"message", error.what()}, {"context_lost", session_->context_lost()}};
  } catch (const std::exception& error) {
    CounterAccess access;
    access.rung = CounterAccess::Rung::failed;
    access.reason = error.what();
    return {{"ok", true},
            {"access", wire::from(access)},
            {"entries", entries},
            {"wall_us", microseconds_since(begin)},
            {"context_lost", session_->context_lost()}};
  }
}

}  // namespace

void device_worker(process::WorkerChannel& channel, DeviceOpener open) {
  DeviceWorker worker(channel, open);
  while (const auto message = channel.receive()) {
    if (!worker.handle(*message)) return;
  }
}

}  // namespace kerntune
