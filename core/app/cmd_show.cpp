// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/storage/result_store.hpp>

#include "common.hpp"
#include "convert.hpp"
#include "near_name.hpp"

namespace kerntune::app {
namespace {

/// The name of the kernel's batch dim, from a winner or from a run's spec; empty if the store knows neither.
std::string batch_dim(const report::KernelHistory& history) {
  if (!history.finals.empty()) return history.finals.front().batch_dim;
  for (const storage::RunRecord& run : history.runs)
    if (!run.spec_json.empty()) return parse_spec(run.spec_json, "run " + run.run_id).batch_dim().name;
  return {};
}

class ShowCommand final : public Command {
 public:
  Verb describe() override {
    return {
        .name = "show",
        .summary = "Show what was measured of a kernel: winners, ties, evaluations, failures",
        .description =
            R"(Winners with the configurations that could not be told apart from them, the evaluations behind them, newest first,
and the runs that made them. --failures shows only configurations without a time, with the reason.)",
        .options =
            {{.names = "KERNEL",
              .value = "",
              .help = "Name of the kernel",
              .target = &kernel_,
              .required = true,
              .group = "arguments"},
             {.names = "--db", .value = "FILE", .help = kStoreHelp, .target = &db_},
             {.names = "--batch", .value = "N", .help = "Only this batch", .target = &batch_},
             {.names = "--failures", .value = "", .help = "Only evaluations without a time", .target = &failures_},
             {.names = "--limit", .value = "N", .help = "Evaluations shown at most; default 20", .target = &limit_}},
        .examples = {{"kerntune show sgemm --db tuned.db --batch 64", "Everything about one batch"},
                     {"kerntune show sgemm --failures --limit 100", "Why configurations have no time"}},
        .units = "Times are per run of the kernel, '>' means stopped early and slower than that; JSON in nanoseconds.",
        .exit_codes = "0 done, 1 the store knows nothing of the kernel, 2 usage, 3 the store cannot be read",
    };
  }

  ExitCode run(const Console& console) override {
    if (limit_ < 0) throw UsageError(fmt::format("show --limit: expected a number from 0 on, found {}", limit_));
    if (batch_ && *batch_ <= 0)
      throw UsageError(fmt::format("show --batch: expected a number from 1 on, found {}", *batch_));
    report::KernelHistory history = load();
    const bool nothing = history.finals.empty() && history.evaluations_total == 0 && history.runs.empty();
    if (nothing) say(fmt::format("kerntune: {}\n", nothing_known(history.store)));
    print(console.json ? report::show_json(history) : report::show_text(history, console.out));
    return history.finals.empty() && history.evaluations_total == 0 ? ExitCode::nothing_usable : ExitCode::done;
  }

 private:
  report::KernelHistory load() const {
    report::KernelHistory history;
    history.store = existing_store_path(db_);
    history.kernel = kernel_;
    history.failures_only = failures_;
    const auto store = storage::ResultStore::open(history.store, storage::ResultStore::Mode::read_only);
    history.finals = store.finals(kernel_);
    history.runs = store.runs();
    std::erase_if(history.runs, [&](const storage::RunRecord& run) { return run.kernel != kernel_; });
    history.evaluations = store.recent(kernel_, std::numeric_limits<std::int32_t>::max());
    select(history);
    return history;
  }

  void select(report::KernelHistory& history) const {
    if (batch_) {
      const std::string dim = batch_dim(history);
      std::erase_if(history.finals, [&](const storage::FinalRecord& record) { return record.batch != *batch_; });
      std::erase_if(history.evaluations, [&](const storage::EvaluationRecord& record) {
        const Dims dims = parse_dims("sizes in the store", {record.key.dims});
        const auto found = dims.find(dim);
        return found == dims.end() || found->second != *batch_;
      });
    }
    if (failures_)
      std::erase_if(history.evaluations,
                    [](const storage::EvaluationRecord& record) { return record.status != storage::Status::rejected; });
    history.evaluations_total = history.evaluations.size();
    if (history.evaluations.size() > static_cast<std::size_t>(limit_))
      history.evaluations.resize(static_cast<std::size_t>(limit_));
  }

  std::string nothing_known(const std::string& path) const {
    const auto store = storage::ResultStore::open(path, storage::ResultStore::Mode::read_only);
    std::set<std::string> names;
    for (const storage::RunRecord& run : store.runs()) names.insert(run.kernel);
    const std::vector<std::string> known(names.begin(), names.end());
    return fmt::format("show: '{}' holds nothing of kernel '{}'{}; it knows {}", path, kernel_,
                       did_you_mean(kernel_, known),
                       known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
  }

  std::string kernel_, db_;
  std::optional<std::int64_t> batch_;
  std::int64_t limit_ = 20;
  bool failures_ = false;
};

}  // namespace

std::unique_ptr<Command> make_show_command() { return std::make_unique<ShowCommand>(); }

}  // namespace kerntune::app
