// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include <kerntune/core/device.hpp>
#include <kerntune/core/plugin_host.hpp>

#include "engine/confirm.hpp"
#include "engine/racing.hpp"
#include "nvtx/ranges.hpp"
#include "workers/wire.hpp"
#include "workers/workers.hpp"

// The device worker owns the context, the buffers and the plugin's callbacks of one device. Requests, in this order:
//
//   open      {"device","plugin","kernel","spec"}               -> {"ok","info"} | {"ok":false,"message"}
//   session   {"dims","policy","default_modules","reference_modules","seeds","best","runs_per_sample"} ->
//   {"ok","verified_by"} |
//   {"ok":false,"rejection"} evaluate  {"id","config","modules","seeds","launches"}      -> {"id","status",...} race,
//   and verify if it would lead confirm
//   {"candidates":[{"config","modules","keep","estimate_ns"}],"seeds","max_seconds"}
//                                                               -> {"at":I}, {"round":N} ... {"finalists":[...]}
//
// An answer with "context_lost" is the last: the process ends and must be replaced.

namespace kerntune {
namespace {

using wire::json;
using Clock = std::chrono::steady_clock;

std::int64_t microseconds_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
}

/// Adds the time of a scope to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(std::int64_t& sum_us) : sum_us_(sum_us) {}
  ~Stopwatch() { sum_us_ += microseconds_since(begin_); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::int64_t& sum_us_;
  Clock::time_point begin_ = Clock::now();
};

/// Candidates between two measurements of the best: clocks and temperatures drift, and a race against an old time is
/// unfair.
constexpr int kRefreshEvery = 16;

class DeviceWorker {
 public:
  explicit DeviceWorker(process::WorkerChannel& channel) : channel_(channel) {}

  /// False when the context is lost.
  bool handle(const process::Message& message) {
    const json request = wire::body_of(message);
    wire::BlobReader blob(message.blob);
    const std::string op = request.at("op");
    if (op == "open")
      send(open(request));
    else if (op == "session")
      send(open_session(request, blob));
    else if (op == "evaluate")
      send(evaluate(request, blob));
    else if (op == "confirm")
      send(run_final(request, blob));
    else
      throw process::ProtocolError("device worker: unknown request '" + op + "'");
    return session_ == nullptr || !session_->context_lost();
  }

 private:
  json open(const json& request);
  json open_session(const json& request, wire::BlobReader& blob);
  json evaluate(const json& request, wire::BlobReader& blob);
  json run_final(const json& request, wire::BlobReader& blob);

  void evaluate_into(const json& request, const std::vector<CompiledModule>& modules, json& answer);
  tl::expected<RaceResult, Rejection> measure(Prepared& prepared, int launches);
  tl::expected<Verification, Rejection> verify(Prepared& prepared, const std::vector<std::uint64_t>& seeds);
  std::unique_ptr<Prepared> prepare_freely(const json& request, const std::vector<CompiledModule>& modules,
                                           json& answer);
  void lead(std::unique_ptr<Prepared> prepared, Samples samples);
  void refresh_best(json& timing);
  void send(const json& body) { channel_.send(wire::message(body)); }

  process::WorkerChannel& channel_;
  std::optional<PluginLibrary> library_;  // never unloaded: it lives as long as the process
  const PluginKernel* plugin_ = nullptr;
  std::shared_ptr<const SpecProgram> program_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Session> session_;
  RacePolicy race_policy_;
  RaceState state_{race_policy_};
  std::unique_ptr<Prepared> best_;  // of this session, to be measured again
  int since_refresh_ = 0;
  std::int64_t verify_us_ = 0;  // spent on verification since the request came
};

json DeviceWorker::open(const json& request) {
  try {
    device_ = open_device(request.at("device").get<std::string>());
    if (const std::string path = request.at("plugin"); !path.empty()) {
      library_ = PluginLibrary::open(path);
      plugin_ = library_->find(request.at("kernel").get<std::string>());
    }
    program_ = std::make_shared<SpecProgram>(parse_spec(request.at("spec").get<std::string>(), "the supervisor"));
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
  state_ = RaceState(race_policy_);
  state_.lead(request.at("best").get<Samples>());
  try {
    auto session = device_->open(wanted, plugin_);
    if (!session) return {{"ok", false}, {"rejection", wire::from(session.error())}};
    session_ = std::move(*session);
  } catch (const std::exception& error) {
    return {{"ok", false}, {"rejection", wire::from(Rejection{Reason::internal_error, error.what()})}};
  }
  return {{"ok", true}, {"verified_by", session_->verified_by()}};
}

tl::expected<RaceResult, Rejection> DeviceWorker::measure(Prepared& prepared, int launches) {
  const nvtx::Range range("screen");
  if (launches == 0) return race(*session_, prepared, state_, race_policy_);
  RacePolicy fixed = race_policy_;
  fixed.rungs = {launches};
  return race(*session_, prepared, RaceState(fixed), fixed);
}

tl::expected<Verification, Rejection> DeviceWorker::verify(Prepared& prepared,
                                                           const std::vector<std::uint64_t>& seeds) {
  const nvtx::Range range("verify");
  const Stopwatch stopwatch(verify_us_);
  Verification worst;
  for (const std::uint64_t seed : seeds) {
    const auto result = session_->verify(prepared, seed);
    if (!result) return tl::unexpected(result.error());
    worst.seed = seed;
    worst.elements += result->elements;
    worst.max_abs_error = std::max(worst.max_abs_error, result->max_abs_error);
    worst.max_rel_error = std::max(worst.max_rel_error, result->max_rel_error);
  }
  return worst;
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

/// Prepares a candidate; if memory is short, without the best's buffers beside it. Null: `answer` says why not.
std::unique_ptr<Prepared> DeviceWorker::prepare_freely(const json& request, const std::vector<CompiledModule>& modules,
                                                       json& answer) {
  const auto config = request.at("config").get<search::Config>();
  auto prepared = session_->prepare(config, modules);
  if (!prepared && prepared.error().reason == Reason::out_of_memory && best_) {
    best_.reset();
    prepared = session_->prepare(config, modules);
  }
  if (prepared) return std::move(*prepared);
  reject(answer, prepared.error());
  return nullptr;
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

void DeviceWorker::evaluate_into(const json& request, const std::vector<CompiledModule>& modules, json& answer) {
  auto prepared = prepare_freely(request, modules, answer);
  if (!prepared) return;
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
  const auto seeds = request.at("seeds").get<std::vector<std::uint64_t>>();
  const auto verified = verify(*prepared, seeds);
  if (!verified) return reject(answer, verified.error());
  answer["verified"] = session_->verified_by();
  answer["verification"] = wire::from(*verified);
  const bool leads = !state_.has_best() || raced->median_ns < state_.best_ns(raced->timing.samples_ns.size());
  answer["leads"] = leads;
  if (leads) lead(std::move(prepared), std::move(raced->timing.samples_ns));
}

json DeviceWorker::evaluate(const json& request, wire::BlobReader& blob) {
  const auto begin = Clock::now();
  verify_us_ = 0;
  json answer{{"id", request.at("id")}, {"verified", "no"}, {"facts", json::object()},
              {"median_ns", 0.0},       {"leads", false},   {"timing", wire::from(Timing{})}};
  const auto modules = wire::compiled_modules(request.at("modules"), blob);
  evaluate_into(request, modules, answer);
  if (request.at("launches") == 0 && !session_->context_lost()) refresh_best(answer["timing"]);
  answer["context_lost"] = session_->context_lost();
  answer["runs_per_sample"] = session_->runs_per_sample();
  answer["verify_us"] = verify_us_;
  answer["wall_us"] = microseconds_since(begin);
  return answer;
}

json DeviceWorker::run_final(const json& request, wire::BlobReader& blob) {
  const auto begin = Clock::now();
  verify_us_ = 0;
  best_.reset();  // its memory is the finalists'
  const auto seeds = request.at("seeds").get<std::vector<std::uint64_t>>();
  std::vector<std::unique_ptr<Prepared>> prepared;
  std::vector<Contender> contenders;
  json finalists = json::array();
  std::vector<std::size_t> place;  // contender -> finalist
  for (const json& candidate : request.at("candidates")) {
    const auto modules = wire::compiled_modules(candidate.at("modules"), blob);
    send({{"at", finalists.size()}});  // names the culprit should this one take the process down
    json& finalist = finalists.emplace_back(json{{"ok", false}});
    auto one = session_->prepare(candidate.at("config").get<search::Config>(), modules);
    const auto verified =
        one ? verify(**one, seeds) : tl::expected<Verification, Rejection>(tl::unexpected(one.error()));
    if (!verified) {
      finalist["rejection"] = wire::from(verified.error());
      if (session_->context_lost()) break;
      continue;
    }
    finalist["facts"] = (*one)->facts();
    finalist["verified"] = session_->verified_by();
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
          {"verify_us", verify_us_},
          {"wall_us", microseconds_since(begin)},
          {"context_lost", session_->context_lost()}};
}

}  // namespace

void device_worker(process::WorkerChannel& channel) {
  DeviceWorker worker(channel);
  while (const auto message = channel.receive()) {
    if (!worker.handle(*message)) return;
  }
}

}  // namespace kerntune
