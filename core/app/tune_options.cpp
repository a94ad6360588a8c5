// SPDX-License-Identifier: Apache-2.0
#include "tune_options.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/search/strategy.hpp>

#include "common.hpp"
#include "convert.hpp"
#include "near_name.hpp"

namespace kerntune::app {
namespace {

constexpr std::int64_t kDefaultEvaluations = 200;

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const search::StrategyInfo& info : search::strategies()) names.emplace_back(info.name);
  return names;
}

std::string strategy_help() {
  std::string text = "How to search. ";
  for (const search::StrategyInfo& info : search::strategies())
    text += fmt::format("{}: {}. ", info.name, info.summary);
  return text + fmt::format("Default: {}", search::default_strategy());
}

/// Lines that say something; '#' begins a comment. Errors: UsageError.
std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    line.erase(std::min(line.find('#'), line.size()));
    const auto end = line.find_last_not_of(" \t\r");
    const auto begin = line.find_first_not_of(" \t");
    if (end != std::string::npos) lines.push_back(line.substr(begin, end - begin + 1));
  }
  if (!file.eof() || lines.empty())
    throw UsageError(fmt::format("tune --configs: '{}': expected a file with a configuration a line, {}", path,
                                 file.eof() ? "found none in it" : "it cannot be read"));
  return lines;
}

}  // namespace

std::vector<Option> TuneOptions::what() {
  const std::string group = "what to tune";
  return {
      {.names = "KERNEL",
       .value = "",
       .help = "A kernel's name, PLUGIN.so[:KERNEL] or a spec file (.json)",
       .target = &kernel_,
       .required = true,
       .group = group},
      {.names = "--batch",
       .value = "LIST",
       .help = "Batches to tune, 1,8,64; default: the kernel's usual one",
       .target = &batches_,
       .group = group},
      {.names = "--dim",
       .value = "NAME=VALUE",
       .help = "Another size of the problem; repeatable",
       .target = &dims_,
       .group = group},
      {.names = "--device",
       .value = "D",
       .help = "auto (the first GPU, else the host), host, cuda:N, or replay:FILE (a recorded space)",
       .target = &device_,
       .group = group},
      {.names = "--plugins",
       .value = "PATH",
       .help = "Where to look for the kernel, instead of the usual folders; repeatable",
       .target = &plugins_,
       .group = group},
  };
}

std::vector<Option> TuneOptions::search() {
  const std::string group = "how to search";
  std::vector<Option> all = {
      {.names = "--retry-failed",
       .value = "",
       .help = "Try again what failed in earlier runs",
       .target = &retry_failed_,
       .group = group},
      {.names = "--jobs",
       .value = "N",
       .help = "Compile processes; default: as many as there are CPUs, less one on larger machines",
       .target = &jobs_,
       .group = group},
      {.names = "--timeout",
       .value = "S",
       .help =
           R"(Seconds that one step of a measurement may take (preparing, a few launches, a verification), beside 20 times what
its launches usually take; default 30)",
       .target = &timeout_s_,
       .group = group},
      {.names = "--compile-timeout",
       .value = "S",
       .help = "Seconds after which one compilation is given up; default 60",
       .target = &compile_timeout_s_,
       .group = group},
      {.names = "--memory-limit",
       .value = "GIB",
       .help =
           R"(Host memory that one worker process may take, in GiB; default: 4 for a compiler, three quarters of the machine's for
the process that measures)",
       .target = &memory_gib_,
       .group = group},
  };
  if (use_ == For::record) return all;
  const std::vector<Option> tune_only = {
      {.names = "--strategy", .value = "NAME", .help = strategy_help(), .target = &strategy_, .group = group},
      {.names = "--budget",
       .value = "B",
       .help =
           R"(When to stop: configurations per batch (200), time for the run (90s, 5m, 1h), both (200,5m: whichever comes first),
or all. Default: 200)",
       .target = &budget_,
       .group = group},
      {.names = "--seed",
       .value = "N",
       .help = "Seed of the search's random choices; default 1",
       .target = &seed_,
       .group = group},
      {.names = "--configs",
       .value = "FILE",
       .help = "Screen the configurations listed in FILE, one a line, instead of searching; parameters that are left "
               "out take the default's value",
       .target = &configs_path_,
       .group = group},
      {.names = "--order-seed",
       .value = "N",
       .help = "Screen the list, or the whole space, in this random order",
       .target = &order_seed_,
       .group = group},
      {.names = "--incumbent",
       .value = "FILE",
       .help = "Store whose winners are deployed: they play the final and are replaced only by a proven gain of 1 %. "
               "Default: the winners in the store itself",
       .target = &incumbent_path_,
       .group = group},
  };
  all.insert(all.begin(), tune_only.begin(), tune_only.end());
  return all;
}

std::vector<Option> TuneOptions::measurement() {
  const std::string group = "how to measure";
  return {
      {.names = "--l2",
       .value = "STATE",
       .help = "Cache before each launch; default: cold on a GPU, warm on the host",
       .target = &l2_,
       .choices = {"cold", "warm"},
       .group = group},
      {.names = "--mode",
       .value = "MODE",
       .help = "How launches are issued; default eager",
       .target = &mode_,
       .choices = {"eager", "graph"},
       .group = group},
      {.names = "--counters",
       .value = "USE",
       .help =
           "Hardware counters of the winner, the runner-up and the default, to say what limits them: auto (as long as "
           "that costs at most a tenth of the run), on or off; default auto",
       .target = &counters_,
       .choices = {"auto", "on", "off"},
       .group = group},
      {.names = "--db", .value = "FILE", .help = kStoreHelp, .target = &db_, .group = "output"},
  };
}

std::vector<Option> TuneOptions::describe() {
  std::vector<Option> all = what();
  for (Option& option : search()) all.push_back(std::move(option));
  for (Option& option : measurement()) all.push_back(std::move(option));
  return all;
}

void TuneOptions::check_numbers(const std::string& verb) const {
  const std::vector<std::string> strategies = strategy_names();
  if (!strategy_.empty() && std::find(strategies.begin(), strategies.end(), strategy_) == strategies.end())
    throw UsageError(fmt::format("{} --strategy: expected one of {}, found '{}'{}", verb, fmt::join(strategies, ", "),
                                 strategy_, did_you_mean(strategy_, strategies)));
  check_seconds(verb + " --timeout", timeout_s_);
  check_seconds(verb + " --compile-timeout", compile_timeout_s_);
  if (memory_gib_ != 0 && !(memory_gib_ >= 0.25 && memory_gib_ <= 1 << 20))
    throw UsageError(fmt::format("{} --memory-limit: expected GiB from 0.25 on, found {}", verb, memory_gib_));
  if (jobs_ < 0 || jobs_ > 1024) throw UsageError(fmt::format("{} --jobs: expected 1 to 1024, found {}", verb, jobs_));
}

TuneRequest TuneOptions::request(const std::string& verb) const {
  // What needs no plugin is checked before one is opened.
  TuneRequest request;
  if (!batches_.empty()) request.batches = parse_batches(verb + " --batch", batches_);
  request.dims = parse_dims(verb + " --dim", dims_);
  request.budget = budget_.empty()    ? Budget{.evaluations = kDefaultEvaluations, .seconds = {}}
                   : budget_ == "all" ? Budget{}
                                      : parse_budget(verb + " --budget", budget_);
  check_numbers(verb);
  request.strategy = strategy_;
  request.seed = seed_;
  request.retry_failed = retry_failed_;
  request.evaluation_timeout_s = timeout_s_;
  request.compile_timeout_s = compile_timeout_s_;
  request.counters = counters_ == "on" ? CounterUse::on : counters_ == "off" ? CounterUse::off : CounterUse::automatic;
  request.memory_limit_bytes = static_cast<std::uint64_t>(memory_gib_ * static_cast<double>(UINT64_C(1) << 30));
  request.compile_processes = static_cast<int>(jobs_);
  request.store_path = store_path(db_);
  request.incumbent_path = incumbent_path_;
  request.order_seed = order_seed_;
  if (!configs_path_.empty()) request.configurations = read_lines(configs_path_);
  if ((order_seed_ || !configs_path_.empty()) && budget_.empty()) request.budget = {};  // all of them

  request.kernel = kernel_named(kernel_, plugins_, device_);
  check_dims(verb + " --dim", request.kernel.spec, request.dims);
  if (request.batches.empty()) request.batches = {request.kernel.spec.batch_dim().default_value};
  request.device = resolve_device(device_, request.kernel.spec);
  request.policy = policy_for(l2_, mode_, request.device);
  return request;
}

ExitCode exit_code_of(const TuneReport& report) {
  const auto usable = [](const BatchResult& batch) { return batch.best.has_value(); };
  if (report.interrupted) return ExitCode::partial;
  const bool nothing = std::none_of(report.batches.begin(), report.batches.end(), usable);
  if (!report.stopped.empty()) return nothing ? ExitCode::environment : ExitCode::partial;
  if (nothing) return ExitCode::nothing_usable;
  return std::all_of(report.batches.begin(), report.batches.end(), usable) ? ExitCode::done : ExitCode::partial;
}

}  // namespace kerntune::app
