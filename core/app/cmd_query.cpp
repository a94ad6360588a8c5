// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/query/tuned_configs.hpp>
#include <kerntune/storage/result_store.hpp>

#include "common.hpp"
#include "convert.hpp"
#include "near_name.hpp"

namespace kerntune::app {
namespace {

/// The device key of a device of this machine; `id` as --device takes it.
std::string device_key_here(const std::string& id) {
  const DeviceList list = devices_from_worker();
  std::vector<std::string> known;
  const DeviceInfo* chosen = nullptr;
  for (const DeviceInfo& device : list.devices) {
    known.push_back(device.id);
    const bool wanted = id == "auto"
                            ? chosen == nullptr || (chosen->kind == DeviceKind::host && device.kind == DeviceKind::cuda)
                            : device.id == id;
    if (wanted) chosen = &device;
  }
  if (chosen != nullptr) return chosen->device_class;
  throw UsageError(fmt::format("query --device: this machine has no '{}'; it has {}{}", id, fmt::join(known, ", "),
                               did_you_mean(id, known)));
}

class QueryCommand final : public Command {
 public:
  Verb describe() override {
    return {
        .name = "query",
        .summary = "Ask a store for the configuration to launch",
        .description =
            R"(Answers as the production library does: the configuration tuned for this kernel, these sizes and this device key, at
the smallest tuned batch that is not below N. The answer says how it was found: 'exact'; 'bucket' (a larger tuned
batch serves, with a bound on the time lost); 'extrapolated' (above the largest tuned batch, no bound); 'default'
(nothing is tuned for this key). Without a device key the answer is the default.)",
        .options =
            {{.names = "KERNEL",
              .value = "",
              .help = "Name of the kernel",
              .target = &kernel_,
              .required = true,
              .group = "arguments"},
             {.names = "--batch", .value = "N", .help = "Batch size asked for", .target = &batch_, .required = true},
             {.names = "--db", .value = "FILE", .help = kStoreHelp, .target = &db_},
             {.names = "--dim",
              .value = "NAME=VALUE",
              .help =
                  R"(Another size of the problem; repeatable. One that is left out takes the value that all results in the file have, if
they agree, and the answer says so)",
              .target = &dims_},
             {.names = "--device-key",
              .value = "KEY",
              .help = "Hardware class, as 'kerntune devices' prints it",
              .target = &device_key_},
             {.names = "--device",
              .value = "D",
              .help = "Use the key of this machine's device: auto, host, cuda:N",
              .target = &device_},
             {.names = "--policy",
              .value = "TEXT",
              .help = "Measurement policy, l2=cold,mode=eager,method=1; default: the file's only one",
              .target = &policy_},
             {.names = "--explain",
              .value = "",
              .help = "Show the key and everything the file holds for the kernel",
              .target = &explain_}},
        .examples = {{"kerntune query sgemm --batch 64 --device auto",
                      "The configuration for the first device of this machine"},
                     {"kerntune query --db tuned.db sgemm --batch 48 --dim k=4096 --dim n=4096 "
                      "--device-key cuda-sm90-132sm-l2:62914560-smem:232448 --json",
                      "For another machine, for a script"}},
        .units = "JSON times are nanoseconds; 'bound' is a factor (1.15: at most 15 % slower than the best possible).",
        .exit_codes =
            "0 an answer (also 'default'), 1 the file does not know the kernel, 2 usage, 3 the file cannot be read",
    };
  }

  ExitCode run(const Console& console) override {
    if (batch_ <= 0) throw UsageError(fmt::format("query --batch: expected a number from 1 on, found {}", batch_));
    if (!device_.empty() && !device_key_.empty()) throw UsageError("query: give --device or --device-key, not both");
    report::QueryAnswer answer = question();
    ask(answer);
    print(console.json ? report::query_json(answer, explain_) : report::query_text(answer, explain_, console.out));
    return answer.config.empty() ? ExitCode::nothing_usable : ExitCode::done;
  }

 private:
  report::QueryAnswer question() {
    report::QueryAnswer answer;
    answer.store = existing_store_path(db_);
    answer.kernel = kernel_;
    answer.batch = batch_;
    answer.policy = policy_;
    answer.device_key = device_.empty() ? device_key_ : device_key_here(device_);
    return answer;
  }

  void ask(report::QueryAnswer& answer) {
    const auto configs = query::TunedConfigs::open(answer.store);
    if (!configs.error().empty()) throw Error(fmt::format("query '{}': {}", answer.store, configs.error()));
    answer.finals = storage::ResultStore::open(answer.store, storage::ResultStore::Mode::read_only).finals(kernel_);
    complete_dims(answer);
    const query::Family family = configs.resolve({answer.kernel, answer.other_dims, answer.device_key, answer.policy});
    const query::Decision decision = family.pick(answer.batch);
    answer.found = query::name_of(decision.found);
    answer.config = decision.config;
    answer.tuned_batch = decision.tuned_batch;
    answer.time_ns = decision.time_ns;
    answer.bound = decision.bound;
    answer.reason = decision.reason;
    if (answer.config.empty()) suggest_kernel(configs, answer);
  }

  /// Sizes that were not given take the value that every result for this device has.
  void complete_dims(report::QueryAnswer& answer) {
    Dims dims = parse_dims("query --dim", dims_);
    std::map<std::string, std::vector<std::int64_t>> stored;
    for (const storage::FinalRecord& record : answer.finals) {
      if (!answer.device_key.empty() && record.device_class != answer.device_key) continue;
      if (record.other_dims.empty()) continue;
      for (const auto& [name, value] : parse_dims("sizes in the store", {record.other_dims}))
        stored[name].push_back(value);
    }
    for (const auto& [name, values] : stored) {
      const bool agree = std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return v == values.front(); });
      if (agree && dims.emplace(name, values.front()).second) answer.assumed_dims[name] = values.front();
    }
    answer.other_dims = dims_text(dims);
  }

  static void suggest_kernel(const query::TunedConfigs& configs, report::QueryAnswer& answer) {
    const std::vector<std::string> known = configs.kernels();
    answer.reason += did_you_mean(answer.kernel, known);
    if (!known.empty()) answer.reason += fmt::format("; the file knows {}", fmt::join(known, ", "));
  }

  std::string kernel_, db_, device_key_, device_, policy_;
  std::int64_t batch_ = 0;
  std::vector<std::string> dims_;
  bool explain_ = false;
};

}  // namespace

std::unique_ptr<Command> make_query_command() { return std::make_unique<QueryCommand>(); }

}  // namespace kerntune::app
