// SPDX-License-Identifier: Apache-2.0
#include "engine/final.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/confirm.hpp"
#include "engine/decision.hpp"
#include "engine/edge_code.hpp"
#include "engine/evaluation_log.hpp"
#include "engine/static_filter.hpp"
#include "workers/gpu_fact_fields.hpp"
#include "workers/wire.hpp"

namespace kerntune {
namespace {

using nlohmann::json;

/// A final is played again without the configurations that failed in it; a device that keeps dying ends that.
constexpr int kMaxAttempts = 8;

double fact(const Facts& facts, const char* name) {
  const auto found = facts.find(name);
  return found == facts.end() ? 0 : found->second;
}

class Player {
 public:
  Player(const FinalSetup& setup, std::vector<Screened> screened) : setup_(setup), screened_(std::move(screened)) {
    default_ = setup_.context.program->default_config();
    default_text_ = setup_.context.program->space().text(default_);
  }

  void play(BatchResult& result) {
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
      line_up();
      if (candidates_.empty()) {
        result.note = "no configuration could be measured and verified";
        return;
      }
      outcome_ = setup_.lane.run_final(candidates_, setup_.max_seconds, setup_.tick);
      if (outcome_.aborted) {
        result.note = "stopped before the final was decided";
        return;
      }
      count_lane(result.lane);
      const bool any_failed = drop_failed(result);
      if (outcome_.broken) continue;
      if (!any_failed || survivors() > 0) return conclude(result);
    }
    if (result.note.empty()) result.note = "the final could not be completed";
  }

 private:
  void line_up() {
    finalists_ = choose_finalists(screened_, setup_.noise, setup_.max_seconds);
    invite(default_, default_text_);
    for (const Incumbent& incumbent : setup_.incumbents) invite(incumbent.config, incumbent.text);
    candidates_.clear();
    std::vector<Screened> ready;
    auto edges = edge_code();
    for (std::size_t i = 0; i < finalists_.size(); ++i) {
      Screened& s = finalists_[i];
      auto modules = modules_for(s.config);
      if (!modules || !edges[i]) {
        fail(s.text, modules ? edges[i].error() : modules.error());
        continue;
      }
      candidates_.push_back({s.config, std::move(*modules), std::move(*edges[i]),
                             s.text == default_text_ || is_incumbent(s.text), s.median_ns});
      ready.push_back(std::move(s));
    }
    finalists_ = std::move(ready);
  }

  /// The default and incumbents play whatever screening said, unless they failed in an earlier attempt.
  void invite(const search::Config& config, const std::string& text) {
    const auto is_it = [&](const Screened& s) { return s.text == text; };
    if (failed_.contains(text) || std::any_of(finalists_.begin(), finalists_.end(), is_it)) return;
    const auto known = std::find_if(screened_.begin(), screened_.end(), is_it);
    const double estimate_ns = known != screened_.end() ? known->median_ns
                               : !finalists_.empty()    ? finalists_.front().median_ns
                                                        : 1e6;
    finalists_.push_back({config, text, estimate_ns, 0});
  }

  bool is_incumbent(const std::string& text) const {
    return std::any_of(setup_.incumbents.begin(), setup_.incumbents.end(),
                       [&](const Incumbent& i) { return i.text == text; });
  }

  tl::expected<std::vector<CompiledModule>, Rejection> modules_for(const search::Config& config) const {
    if (!setup_.context.compiles()) return std::vector<CompiledModule>{};
    const auto job = job_for(setup_.context, config, setup_.dims);
    if (!job) return tl::unexpected(job.error());
    auto outcome = std::move(setup_.pool->compile_all({*job}).front());
    if (!outcome) return tl::unexpected(outcome.error());
    std::vector<CompiledModule> modules;
    modules.push_back(std::move(*outcome));
    return modules;
  }

  std::vector<tl::expected<std::vector<EdgeCode>, Rejection>> edge_code() const {
    std::vector<search::Config> configs;
    for (const Screened& s : finalists_) configs.push_back(s.config);
    return compile_edges(setup_.context, configs, setup_.dims,
                         [&](const std::vector<CompileJob>& jobs) { return setup_.pool->compile_all(jobs); });
  }

  void fail(const std::string& text, const Rejection& rejection) {
    std::erase_if(screened_, [&](const Screened& s) { return s.text == text; });
    failed_.insert(text);
    setup_.failed(text, rejection);
  }

  bool drop_failed(BatchResult& result) {
    bool any = false;
    for (std::size_t i = 0; i < outcome_.entries.size(); ++i) {
      if (!outcome_.entries[i].rejection) continue;
      any = true;
      if (result.note.empty() && finalists_[i].text == default_text_) {
        result.note = "the default configuration failed: " + outcome_.entries[i].rejection->message;
      }
      fail(finalists_[i].text, *outcome_.entries[i].rejection);
    }
    return any;
  }

  void count_lane(LaneTime& lane) const {
    for (const FinalEntry& entry : outcome_.entries) lane.samples += static_cast<std::int64_t>(entry.samples.size());
    lane.launches += outcome_.launches;
    lane.launched_us += outcome_.launched_us;
    lane.busy_us += static_cast<double>(outcome_.wall_us);
    lane.verify_us += static_cast<double>(outcome_.verify_us);
  }

  std::size_t survivors() const {
    return static_cast<std::size_t>(std::count_if(
        outcome_.entries.begin(), outcome_.entries.end(),
        [](const FinalEntry& e) { return !e.rejection && !e.rounds_ns.empty() && e.verification.complete; }));
  }

  void conclude(BatchResult& result) {
    for (std::size_t i = 0; i < outcome_.entries.size(); ++i) {
      FinalEntry& e = outcome_.entries[i];
      if (e.rejection || e.rounds_ns.empty() || !e.verification.complete) continue;
      rounds_.emplace(finalists_[i].text, e.rounds_ns);
      result.finalists.push_back(finalist_of(finalists_[i].config, finalists_[i].text, std::move(e)));
    }
    result.confirm_rounds = outcome_.rounds;
    result.unresolved = outcome_.unresolved;
    if (outcome_.exhausted) result.note = "samples exhausted: the final ended with the recording's last fresh samples";
    crown(result);
    if (result.best && setup_.counters != nullptr && setup_.counters->affords()) take_counters(result);
  }

  /// Counters of the best, of the next best and of the default, to say why the one is faster than the others.
  void take_counters(BatchResult& result) {
    std::vector<std::string> wanted{result.best->config_text, default_text_};
    for (const Finalist& f : result.finalists)
      if (f.config_text != wanted[0] && f.config_text != wanted[1] && wanted.size() < 3)
        wanted.push_back(f.config_text);
    std::vector<ProfileCandidate> counted;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < finalists_.size(); ++i) {
      if (std::find(wanted.begin(), wanted.end(), finalists_[i].text) == wanted.end() || outcome_.entries[i].rejection)
        continue;
      texts.push_back(finalists_[i].text);
      counted.push_back({finalists_[i].config, candidates_[i].modules});
    }
    ProfileOutcome taken = setup_.lane.profile(counted, CounterRequest{});
    setup_.counters->spend(static_cast<double>(taken.wall_us) * 1e-6, !taken.access.usable());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto keep = [&](Finalist& f) {
        if (f.config_text == texts[i]) f.counters = taken.entries[i].counters;
      };
      std::for_each(result.finalists.begin(), result.finalists.end(), keep);
      keep(*result.best);
      if (result.default_config) keep(*result.default_config);
    }
    result.counter_access = std::move(taken.access);
  }

  /// The incumbent that takes part: the first of them that is there.
  std::optional<Incumbent> defender(const std::vector<Finalist>& all) const {
    for (const Incumbent& incumbent : setup_.incumbents)
      for (const Finalist& f : all)
        if (f.config_text == incumbent.text) return incumbent;
    return std::nullopt;
  }

  void crown(BatchResult& result) {
    auto& all = result.finalists;
    const auto incumbent = defender(all);
    std::vector<Standing> standings;
    for (const Finalist& f : all) {
      standings.push_back({f.config_text, incumbent && f.config_text == incumbent->text, f.tie, f.ratio,
                           fact(f.facts, "regs"),
                           fact(f.facts, "static_shared_bytes") + fact(f.facts, "dynamic_shared_bytes"), f.rounds_ns});
    }
    const auto decision = decide(standings, outcome_.sigma, {});
    if (!decision) {
      result.note = "the final could not be decided";
      return;
    }
    const std::string winner = standings[decision->winner].text;
    if (decision->defence) note_defence(*decision->defence, standings, *incumbent, result);
    std::stable_sort(all.begin(), all.end(), [&](const Finalist& a, const Finalist& b) {
      return std::tuple(a.config_text != winner, !a.tie, a.time_ns) <
             std::tuple(b.config_text != winner, !b.tie, b.time_ns);
    });
    result.best = all.front();
    for (const Finalist& f : all) {
      if (f.tie || f.config_text == winner) result.ties.push_back(f.config_text);
      if (f.config_text == default_text_) result.default_config = f;
    }
    if (result.default_config) compare_default(result);
  }

  void note_defence(const Decision::Defence& defence, const std::vector<Standing>& standings,
                    const Incumbent& incumbent, BatchResult& result) {
    result.defence = IncumbentDefence{incumbent.text,  incumbent.source,     standings[defence.challenger].text,
                                      defence.ratio,   defence.interval.low, defence.interval.high,
                                      defence.replaced};
  }

  void compare_default(BatchResult& result) {
    const auto ratios = paired_ratios(rounds_.at(default_text_), rounds_.at(result.best->config_text));
    const Interval interval = median_interval(ratios);
    result.speedup = median(ratios);
    result.speedup_low = interval.low;
    result.speedup_high = interval.high;
  }

  const FinalSetup& setup_;
  std::vector<Screened> screened_;
  search::Config default_;
  std::string default_text_;
  std::set<std::string> failed_;
  std::vector<Screened> finalists_;
  std::vector<FinalCandidate> candidates_;
  FinalOutcome outcome_;
  std::map<std::string, std::vector<double>> rounds_;
};

json to_json(const Finalist& f) {
  json j{{"config", f.config_text},
         {"time_ns", f.time_ns},
         {"ratio", {f.ratio, f.ratio_low, f.ratio_high}},
         {"verified", f.verified},
         {"facts", f.facts},
         {"tie", f.tie},
         {"rounds_ns", f.rounds_ns},
         {"samples_ns", f.samples_ns},
         {"sample_flags", f.sample_flags},
         {"verification", wire::from(f.verification)}};
  if (!f.counters.empty()) j["counters"] = wire::from(f.counters);
  return j;
}

json to_json(const IncumbentDefence& d) {
  return {{"config", d.config_text},
          {"source", d.source},
          {"against", d.challenger_text},
          {"ratio", {d.ratio, d.ratio_low, d.ratio_high}},
          {"replaced", d.replaced}};
}

json gpu_of(const DeviceInfo& device, const BatchResult& result) {
  return {{"board", device.board ? gpu_json::object<json>(*device.board) : json(nullptr)},
          {"snapshots", gpu_json::snapshots<json>(result.gpu_snapshots)}};
}

/// Stores of earlier programs say nothing.
GpuSnapshots gpu_snapshots_from(const json& details) {
  GpuSnapshots snapshots;
  if (!details.contains("gpu")) return snapshots;
  for (const json& j : details.at("gpu").at("snapshots"))
    snapshots.push_back({j.at("at").get<std::string>(), gpu_json::from<GpuState>(j)});
  return snapshots;
}

IncumbentDefence defence_from(const json& j) {
  return {j.at("config").get<std::string>(), j.at("source").get<std::string>(), j.at("against").get<std::string>(),
          j.at("ratio").at(0).get<double>(), j.at("ratio").at(1).get<double>(), j.at("ratio").at(2).get<double>(),
          j.at("replaced").get<bool>()};
}

Finalist finalist_from(const json& j, const search::ParamSpace& space) {
  Finalist f;
  f.config_text = j.at("config").get<std::string>();
  f.config = space.parse(f.config_text);
  f.time_ns = j.at("time_ns");
  f.ratio = j.at("ratio").at(0);
  f.ratio_low = j.at("ratio").at(1);
  f.ratio_high = j.at("ratio").at(2);
  f.verified = j.at("verified").get<std::string>();
  f.verification = wire::verification(j.at("verification"));
  f.facts = j.at("facts").get<Facts>();
  f.tie = j.at("tie");
  f.rounds_ns = j.at("rounds_ns").get<std::vector<double>>();
  f.samples_ns = j.at("samples_ns").get<Samples>();
  f.sample_flags = j.at("sample_flags").get<SampleFlags>();
  if (j.contains("counters")) f.counters = wire::counters(j.at("counters"));
  return f;
}

}  // namespace

Finalist finalist_of(search::Config config, const std::string& text, FinalEntry entry) {
  return {std::move(config),
          text,
          entry.median_ns,
          entry.ratio,
          entry.ratio_low,
          entry.ratio_high,
          std::move(entry.verified),
          std::move(entry.verification),
          std::move(entry.facts),
          entry.tie,
          std::move(entry.rounds_ns),
          std::move(entry.samples),
          std::move(entry.flags)};
}

void play_final(const FinalSetup& setup, const std::vector<Screened>& screened, BatchResult& result) {
  Player(setup, screened).play(result);
}

tl::expected<CompileJob, Rejection> job_for(const TuningContext& context, const search::Config& config,
                                            const Dims& dims) {
  const auto view = static_filter(context, config, dims);
  if (!view) return tl::unexpected(view.error());
  return compile_job(std::get<SourceCode>(context.program->spec().code), view->compile, context.device.arch);
}

storage::FinalRecord final_record(const TuningContext& context, const BatchResult& result, const std::string& run_id) {
  const KernelSpec& spec = context.program->spec();
  storage::FinalRecord record;
  record.kernel = spec.name;
  record.code_digest = context.code_digest;
  record.space_digest = context.space_digest;
  record.reference_digest = context.reference_digest;
  record.dims = canonical_dims(result.dims);
  record.batch_dim = spec.batch_dim().name;
  record.other_dims = canonical_dims(without(result.dims, record.batch_dim));
  record.batch = result.batch;
  record.device_class = context.device.device_class;
  record.toolchain = context.toolchain;
  record.policy = context.policy.text();
  record.config = result.best->config_text;
  record.default_config = context.program->space().text(context.program->default_config());
  record.time_ns = result.best->time_ns;
  record.default_time_ns = result.default_config ? result.default_config->time_ns : 0;
  record.speedup = result.speedup;
  record.speedup_low = result.speedup_low;
  record.speedup_high = result.speedup_high;
  record.verified = result.best->verified;
  record.verification_json = wire::from(result.best->verification).dump();
  record.ties = result.ties;
  record.unresolved = result.unresolved;
  json finalists = json::array();
  for (const Finalist& f : result.finalists) finalists.push_back(to_json(f));
  json details{{"finalists", finalists}, {"rounds", result.confirm_rounds}};
  if (!result.provisional.empty()) details["provisional"] = result.provisional;
  if (context.device.board || !result.gpu_snapshots.empty()) details["gpu"] = gpu_of(context.device, result);
  if (result.defence) details["incumbent"] = to_json(*result.defence);
  record.details_json = details.dump();
  record.run_id = run_id;
  record.finished_unix_us = unix_microseconds();
  return record;
}

bool is_provisional(const storage::FinalRecord& record) {
  return json::parse(record.details_json).contains("provisional");
}

void restore_final(const TuningContext& context, const storage::FinalRecord& record, BatchResult& result) {
  const json details = json::parse(record.details_json);
  for (const json& j : details.at("finalists")) result.finalists.push_back(finalist_from(j, context.program->space()));
  for (const Finalist& f : result.finalists) {
    if (f.config_text == record.config) result.best = f;
    if (f.config_text == record.default_config) result.default_config = f;
  }
  result.confirm_rounds = details.at("rounds");
  result.gpu_snapshots = gpu_snapshots_from(details);
  if (details.contains("incumbent")) result.defence = defence_from(details.at("incumbent"));
  result.ties = record.ties;
  result.unresolved = record.unresolved;
  result.speedup = record.speedup;
  result.speedup_low = record.speedup_low;
  result.speedup_high = record.speedup_high;
}

}  // namespace kerntune
