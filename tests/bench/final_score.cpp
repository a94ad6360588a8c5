// SPDX-License-Identifier: Apache-2.0
// How good is the final pick? Searches recorded spaces with the engine's own race, final and decision, sample by sample
// as recorded, and compares the pick's true time with that of the best configuration that was screened: its regret.
//
//   final_score [--seeds 100] [--budget 200] [--strategies model,random] RECORDING...
//
// The truth of a configuration is the median of the last half of its samples, which the replay never gives out. Beside
// it stands the regret of an oracle that sees every sample that a replay could have given of every configuration that
// was screened, and picks by their medians: what is left to it, more samples can not tell.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <kerntune/core/replay.hpp>
#include <kerntune/core/spec_program.hpp>
#include <kerntune/search/strategy.hpp>

#include "engine/confirm.hpp"
#include "engine/decision.hpp"
#include "engine/finalists.hpp"
#include "engine/racing.hpp"
#include "engine/statistics.hpp"

namespace {

using namespace kerntune;

struct Options {
  int seeds = 100;
  int budget = 200;
  std::vector<std::string> strategies{"model", "random"};
  std::vector<std::string> files;
};

Options parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      options.files.push_back(words[i]);
      continue;
    }
    if (i + 1 == words.size()) throw std::runtime_error(words[i] + " needs a value");
    const std::string& name = words[i];
    const std::string& value = words[++i];
    if (name == "--seeds") {
      options.seeds = std::stoi(value);
    } else if (name == "--budget") {
      options.budget = std::stoi(value);
    } else if (name == "--strategies") {
      options.strategies.clear();
      std::istringstream list(value);
      for (std::string item; std::getline(list, item, ',');) options.strategies.push_back(item);
    } else {
      throw std::runtime_error("unknown option " + name);
    }
  }
  if (options.files.empty()) throw std::runtime_error("no recording given");
  return options;
}

struct Outcome {
  double regret = 0;         // of the pick against the best screened
  double oracle_regret = 0;  // of the oracle's
  double launches_per_screened = 0;
  bool exhausted = false;
};

/// One recording with its true times.
class Space {
 public:
  explicit Space(const std::string& path)
      : recorded_(std::make_shared<const Recording>(read_recording(path))),
        program_(std::make_shared<const SpecProgram>(spec_of(recorded_.recording()))),
        device_(open_replay_device(path)) {}

  Outcome play(const std::string& strategy, std::uint64_t seed, int budget) {
    const auto strategist = search::make_strategy(strategy, program_->space(), seed);
    SessionRequest request;
    request.program = program_;
    request.dims = program_->complete_dims(recorded_.size().dims);
    session_ = std::move(device_->open(request, nullptr).value());
    state_ = RaceState(race_policy_);
    screened_.clear();
    launches_ = configurations_ = 0;
    best_true_ns_ = oracle_ns_ = oracle_true_ns_ = 0;
    std::set<search::Config> seen;
    screen(program_->default_config(), *strategist);
    seen.insert(program_->default_config());
    while (static_cast<int>(seen.size()) < budget) {
      auto proposal = strategist->propose();
      if (proposal.answer != search::Strategy::Answer::config) break;
      if (seen.insert(proposal.config).second) screen(proposal.config, *strategist);
    }
    return final();
  }

 private:
  double truth(const search::Config& config) const { return truth_ns(*recorded_.find(config)); }

  void screen(const search::Config& config, search::Strategy& strategist) {
    auto prepared = session_->prepare(config, {});
    if (!prepared) return strategist.observe(config, {search::Feedback::Status::rejected, 0});
    const auto raced = race(*session_, **prepared, state_, race_policy_);
    if (!raced) return strategist.observe(config, {search::Feedback::Status::rejected, 0});
    ++configurations_;
    launches_ += raced->timing.launches;
    if (best_true_ns_ <= 0 || truth(config) < best_true_ns_) best_true_ns_ = truth(config);
    show_to_oracle(config);
    const auto status = raced->slower ? search::Feedback::Status::slower : search::Feedback::Status::measured;
    strategist.observe(config, {status, raced->median_ns});
    if (raced->slower) return;
    state_.learn(raced->timing.samples_ns);
    screened_.push_back({config, program_->space().text(config), raced->median_ns, raced->timing.samples_ns.size()});
    if (!state_.has_best() || raced->median_ns < state_.best_ns(raced->timing.samples_ns.size()))
      state_.lead(raced->timing.samples_ns);
  }

  void show_to_oracle(const search::Config& config) {
    const RecordedEntry& entry = *recorded_.find(config);
    const double median_ns = median(std::span(entry.samples_ns).first(drawable(entry)));
    if (oracle_ns_ > 0 && median_ns >= oracle_ns_) return;
    oracle_ns_ = median_ns;
    oracle_true_ns_ = truth(config);
  }

  Outcome final() {
    const ConfirmPolicy policy;
    std::vector<Screened> finalists = choose_finalists(screened_, state_.noise(), policy.max_seconds);
    const search::Config fallback = program_->default_config();
    if (std::none_of(finalists.begin(), finalists.end(), [&](const Screened& s) { return s.config == fallback; }))
      finalists.push_back({fallback, program_->space().text(fallback), finalists.front().median_ns, 0});
    std::vector<std::unique_ptr<Prepared>> prepared;
    std::vector<Contender> contenders;
    for (const Screened& s : finalists) {
      prepared.push_back(std::move(session_->prepare(s.config, {}).value()));
      contenders.push_back({prepared.back().get(), s.config == fallback, s.median_ns});
    }
    const Confirmed result = confirm(*session_, contenders, policy, [](int) {});
    std::vector<Standing> standings;
    for (std::size_t c = 0; c < finalists.size(); ++c) {
      const Confirmed::Entry& e = result.entries[c];
      launches_ += e.timing.launches;
      standings.push_back({finalists[c].text, finalists[c].config == fallback, e.tie, e.ratio, 0, 0, e.round_ns});
    }
    const auto decision = decide(standings, result.sigma, policy);
    const double picked_ns = truth(finalists[decision.value().winner].config);
    return {picked_ns / best_true_ns_ - 1, oracle_true_ns_ / best_true_ns_ - 1,
            static_cast<double>(launches_) / static_cast<double>(configurations_), result.exhausted};
  }

  RecordedSpace recorded_;
  std::shared_ptr<const SpecProgram> program_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Session> session_;
  RacePolicy race_policy_;
  RaceState state_{race_policy_};
  std::vector<Screened> screened_;
  std::int64_t launches_ = 0, configurations_ = 0;
  double best_true_ns_ = 0;
  double oracle_ns_ = 0, oracle_true_ns_ = 0;
};

double percentile_95(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, values.size() * 95 / 100)];
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// What the runs over one space, or over all, came to.
struct Tally {
  std::vector<double> regrets, oracle_regrets, launches;
  int exhausted = 0;

  void add(const Outcome& outcome) {
    regrets.push_back(outcome.regret);
    oracle_regrets.push_back(outcome.oracle_regret);
    launches.push_back(outcome.launches_per_screened);
    exhausted += outcome.exhausted ? 1 : 0;
  }

  void print(const std::string& strategy, const std::string& name) const {
    std::printf("%-8s %-36s  %7.3f  %7.3f  %7.3f  %7.2f  %5d\n", strategy.c_str(), name.c_str(), 100 * mean(regrets),
                100 * percentile_95(regrets), 100 * mean(oracle_regrets), mean(launches), exhausted);
    std::fflush(stdout);
  }
};

void run(const Options& options) {
  std::printf("%-8s %-36s  %7s  %7s  %7s  %7s  %5s   (%d seeds, %d configurations)\n", "strategy", "space", "mean %",
              "95th %", "oracle", "launch", "exh.", options.seeds, options.budget);
  for (const std::string& strategy : options.strategies) {
    Tally all;
    double worst = 0;
    for (const std::string& file : options.files) {
      Space space(file);
      Tally here;
      for (int seed = 0; seed < options.seeds; ++seed) {
        const Outcome outcome = space.play(strategy, static_cast<std::uint64_t>(seed), options.budget);
        here.add(outcome);
        all.add(outcome);
      }
      const std::filesystem::path path(file);
      here.print(strategy, path.parent_path().filename().string() + "/" + path.filename().string());
      worst = std::max(worst, mean(here.regrets));
    }
    all.print(strategy, "all");
    std::printf("%-8s worst space's mean %.3f %%\n", strategy.c_str(), 100 * worst);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse({argv + 1, argv + argc}));
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(
        stderr,
        "final_score: %s\nusage: final_score [--seeds N] [--budget N] [--strategies model,random] RECORDING...\n",
        error.what());
    return EXIT_FAILURE;
  }
}
